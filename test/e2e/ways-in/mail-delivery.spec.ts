import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { EntityManager } from 'typeorm';
import { invitedRequest } from '../../../src/auth/hosted-sign-in/authorization-request/authorization-request.js';
import { Transactions } from '../../../src/database/transactions.js';
import { JobHandlers } from '../../../src/delivery/worker/job-handlers.js';
import { OutboxRepository } from '../../../src/delivery/outbox/outbox.repository.js';
import { Outbox } from '../../../src/delivery/outbox/outbox.service.js';
import { activeMs } from '../../support/active-time.js';
import { type MailingService, startMailingService } from '../../support/mailing-service.js';
import { newAddress, signUp } from '../../support/new-user.js';
import { eventually } from '../../support/wait.js';
import type { TestClient, World } from '../../support/world.js';

const SUBJECT = 'Confirm your e-mail address';

describe('Mail delivery with a faulty SMTP server', () => {
  let mailing: MailingService;
  let world: World;
  let app: TestClient;

  beforeEach(async () => {
    mailing = await startMailingService();
    ({ world } = mailing);
    app = await world.app(await world.tenant(), { registration_policy: 'open' });
  });

  afterEach(() => mailing.close());

  const mailRow = async () => {
    const [row] = await world.sql<{
      attempts: number;
      last_error: string | null;
      dead_at: Date | null;
      payload: unknown;
    }>("SELECT attempts, last_error, dead_at, payload FROM outbox_messages WHERE job = 'mail.send'");
    return row;
  };

  const failedOnce = () =>
    eventually('a failed attempt', async () => {
      const row = await mailRow();
      return row?.last_error ? row : null;
    });

  it('does not affect answers while the server is down, and delivers once it is back', async () => {
    await mailing.smtp.stop();
    const email = newAddress();
    const took = await activeMs(async () => expect((await signUp(world, app, { email })).status).toBe(200));
    expect(took).toBeLessThan(5_000);
    expect(await failedOnce()).toMatchObject({ dead_at: null });
    await mailing.smtp.listen();
    await mailing.smtp.next(email, SUBJECT);
    expect(mailing.smtp.to(email)).toHaveLength(1);
  });

  it('retries after a 451', async () => {
    mailing.smtp.be({ code: 451, text: 'Try again later' });
    const email = newAddress();
    await signUp(world, app, { email });
    expect(await failedOnce()).toMatchObject({ dead_at: null });
    mailing.smtp.be('accept');
    await mailing.smtp.next(email, SUBJECT);
    expect(mailing.smtp.to(email)).toHaveLength(1);
  });

  it('waits minutes before it repeats a mail that the server took before it hung up', async () => {
    mailing.smtp.be('drop after data');
    const email = newAddress();
    await signUp(world, app, { email });
    await failedOnce();
    mailing.smtp.be('accept');
    const [row] = await world.sql<{ pause: number; id: string }>(
      `SELECT id, extract(epoch FROM available_at - now())::int AS pause FROM outbox_messages WHERE job = 'mail.send'`,
    );
    expect(row!.pause).toBeGreaterThan(240);
    expect(mailing.smtp.to(email).map(({ messageId }) => messageId)).toEqual([`<${row!.id}@127.0.0.1>`]);
    await world.sql('UPDATE outbox_messages SET available_at = now() WHERE id = $1', [row!.id]);
    await eventually('it is repeated', () => mailing.smtp.to(email).length === 2);
    expect(new Set(mailing.smtp.to(email).map(({ messageId }) => messageId)).size).toBe(1);
  });

  it('gives up after a 550, and lists the mail among the dead letters without its link', async () => {
    mailing.smtp.be({ code: 550, text: 'No such user' });
    const email = newAddress();
    await signUp(world, app, { email });
    const dead = await eventually('a dead letter', async () => {
      const row = await mailRow();
      return row?.dead_at ? row : null;
    });
    expect([dead.attempts, dead.last_error]).toEqual([1, 'PermanentFailure: SMTP 550']);
    expect(JSON.stringify(dead.payload)).not.toContain('token=');
    expect(mailing.smtp.offered).toEqual([email]);
  });

  it('times out if the server does not answer, and retries', async () => {
    mailing.smtp.be('hang');
    const email = newAddress();
    const took = await activeMs(async () => expect((await signUp(world, app, { email })).status).toBe(200));
    expect(took).toBeLessThan(5_000);
    expect((await failedOnce()).last_error).toMatch(/timeout/i);
    mailing.smtp.be('accept');
    await mailing.smtp.next(email, SUBJECT);
  });

  it('sends no mail whose link has expired', async () => {
    mailing.smtp.be({ code: 451, text: 'Try again later' });
    const email = newAddress();
    await signUp(world, app, { email });
    await failedOnce();
    await world.sql(
      "UPDATE outbox_messages SET expires_at = now() - interval '1 second', available_at = now() WHERE job = 'mail.send'",
    );
    mailing.smtp.be('accept');
    await eventually('a dead letter', async () => (await mailRow())?.dead_at);
    expect(mailing.smtp.to(email)).toEqual([]);
  });

  it.each(['auth.reset_requested', 'auth.magic_link_requested'] as const)(
    'mails one link for a request (%s) that is handled again after a crash',
    async (job) => {
      const user = await world.user(app);
      const { nest } = mailing.service;
      const handler = nest.get(JobHandlers, { strict: false }).find(job)!;
      const request = invitedRequest(app.redirectUri, '', null);
      const payload = { email: user.email, appId: app.id, request };
      // Of this test alone: the service itself finds it in an hour.
      const id = await nest
        .get(Transactions)
        .run((tx) =>
          nest
            .get(Outbox, { strict: false })
            .add(tx, 'mail', job, payload, { group: null, availableAt: new Date(Date.now() + 3_600_000) }),
        );
      const outbox = nest.get(OutboxRepository, { strict: false });
      const meta = { id, attempt: 1, lastAttempt: false, now: new Date() };
      for (const finish of [1, 2].map(() => (tx: EntityManager) => outbox.markDone(id, tx)))
        await handler.handle(payload, { ...meta, finish });
      expect(await world.sql('SELECT 1 FROM mail_links WHERE user_id = $1', [user.id])).toHaveLength(1);
    },
  );
});
