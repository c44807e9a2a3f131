import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { SecretBox } from '../../../src/crypto/secret-box.js';
import { JobNotifier } from '../../../src/delivery/queues/job-notifier.js';
import { LOGO_CONTENT_ID } from '../../../src/mail/content/mail-frame.js';
import { aadOfMail, type StoredMail } from '../../../src/mail/sending/mail.service.js';
import { decodeLogo, noisyPng } from '../../support/images.js';
import { newInvite } from '../../support/invites.js';
import { type MailingService, startMailingService } from '../../support/mailing-service.js';
import { logoForm, postLogo } from '../../support/multipart.js';
import { newAddress } from '../../support/new-user.js';
import { eventually } from '../../support/wait.js';
import type { TestClient, World } from '../../support/world.js';

const MAX_STORED_BYTES = 4_000;

interface QueuedRow {
  readonly id: string;
  readonly payload: { readonly ref: string; readonly sealed: string };
  readonly bytes: number;
}

describe('Logo in mails', () => {
  let mailing: MailingService;
  let world: World;
  let app: TestClient;
  let logo: string;

  beforeAll(async () => {
    mailing = await startMailingService();
    ({ world } = mailing);
  });

  afterAll(() => mailing.close());

  beforeEach(async () => {
    app = await world.app(await world.tenant());
    logo = await upload();
  });

  /** A picture that nothing compresses. @returns as the app stores it */
  const upload = async (): Promise<string> => {
    const image = await noisyPng({ width: 256, height: 256 });
    const { body } = await postLogo(world.baseUrl, app.id, world.admin.token, logoForm(image));
    return String(body.config.branding['logo_data']);
  };
  /** A mail that the mail server has refused for good: its payload is kept, because operators can send it again. */
  const queue = async (): Promise<{ email: string; row: QueuedRow }> => {
    const email = newAddress();
    mailing.smtp.be({ code: 550, text: 'No such user' });
    await newInvite(world, app, { send_to_email: email });
    const row = await eventually('a refused mail', async () => {
      const [found] = await world.sql<QueuedRow>(
        `SELECT o.id, o.payload, octet_length(o.payload::text) AS bytes FROM outbox_messages o
         JOIN mail_log l ON l.id = o.id WHERE l.recipient = $1 AND o.dead_at IS NOT NULL`,
        [email],
      );
      return found;
    });
    return { email, row };
  };
  const deliver = async ({ email, row: { id } }: { email: string; row: QueuedRow }) => {
    mailing.smtp.be('accept');
    await world.sql('UPDATE outbox_messages SET dead_at = NULL, attempts = 0, available_at = now() WHERE id = $1', [
      id,
    ]);
    await mailing.service.nest.get(JobNotifier, { strict: false }).sweep();
    const { raw, attachments, html } = await mailing.smtp.next(email, 'You are invited');
    return { raw, pictures: attachments.map(({ cid, content }) => ({ cid, content })), html: String(html) };
  };
  const asAttached = async (picture: string) => ({ cid: LOGO_CONTENT_ID, content: (await decodeLogo(picture)).png });

  it('do not wait in the queue with the mail, and are attached when it is sent', async () => {
    expect(logo.length).toBeGreaterThan(8 * MAX_STORED_BYTES);
    const queued = await queue();
    expect(queued.row.bytes).toBeLessThan(MAX_STORED_BYTES);
    const mail = await deliver(queued);
    expect(mail.pictures).toEqual([await asAttached(logo)]);
    expect(mail.html).toContain('<img src="data:image/png;base64,');
  });

  it('are those that the app has when the mail is sent', async () => {
    const queued = await queue();
    const later = await upload();
    expect(later).not.toBe(logo);
    expect((await deliver(queued)).pictures).toEqual([await asAttached(later)]);
  });

  it('are replaced by a monogram if the app has removed its logo before the mail is sent', async () => {
    const queued = await queue();
    await world.asAdmin('DELETE', `/admin/apps/${app.id}/logo`);
    const { raw, pictures, html } = await deliver(queued);
    expect(pictures).toEqual([]);
    expect(html).not.toContain('<img');
    expect(raw).not.toContain(LOGO_CONTENT_ID);
  });

  it('are sent from a mail that the previous version queued, which contains them', async () => {
    const queued = await queue();
    const { id, payload } = queued.row;
    const box = mailing.service.nest.get(SecretBox, { strict: false });
    const { logoOf, ...mail } = JSON.parse(box.open(payload.sealed, aadOfMail(payload.ref))) as StoredMail;
    expect(logoOf).toBe(app.id);
    const before = JSON.stringify({ ...mail, brand: { ...mail.brand, logo } });
    await world.sql('UPDATE outbox_messages SET payload = $2 WHERE id = $1', [
      id,
      JSON.stringify({ ...payload, sealed: box.seal(before, aadOfMail(payload.ref)) }),
    ]);
    await world.asAdmin('DELETE', `/admin/apps/${app.id}/logo`);
    expect((await deliver(queued)).pictures).toEqual([await asAttached(logo)]);
  });
});
