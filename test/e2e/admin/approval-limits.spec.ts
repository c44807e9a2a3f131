import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { RateLimitsService } from '../../../src/rate-limits/rate-limits.service.js';
import { ConsoleFixture } from '../../support/console-fixture.js';
import { contentToken, contentWords } from '../../support/console-visitor.js';
import { newAddress } from '../../support/new-user.js';
import { eventually } from '../../support/wait.js';
import { type TestClient, unique } from '../../support/world.js';

interface Pending {
  readonly id: string;
  readonly email: string;
}

const HOUR = { seconds: 3_600 };

describe('E-mails about approvals', () => {
  let fixture: ConsoleFixture;
  let app: TestClient;

  const open = async (overrides: Record<string, { points: number; seconds: number }>) => {
    fixture = await ConsoleFixture.open({ rateLimits: { enabled: true, overrides } });
  };
  beforeEach(async () => {
    app = await fixture.world.app(fixture.tenant, { name: 'Shop' });
  });

  async function pending(count: number): Promise<Pending[]> {
    return fixture.world.sql<Pending>(
      `WITH made AS (INSERT INTO users (id, email, email_canonical, display_name, email_verified)
         SELECT gen_random_uuid(), address, address, 'One of many', true
         FROM (SELECT 'm' || n || '-' || $2 || '@example.com' AS address FROM generate_series(1, $3::int) AS n) AS named
         RETURNING id, email)
       , enrolled AS (INSERT INTO enrollments (user_id, app_id, roles, status)
         SELECT id, $1::uuid, '{user}', 'pending' FROM made)
       SELECT id, email FROM made ORDER BY email`,
      [app.id, unique(), count],
    );
  }
  const waitAgain = ({ id }: Pending) =>
    fixture.world.sql(`UPDATE enrollments SET status = 'pending' WHERE user_id = $1`, [id]);
  const approve = async ({ id }: Pending, where = app) => {
    const path = `/admin/users/${id}/apps/${where.id}/approve`;
    const { enrollment_status, email_sent } = await fixture.world.asAdmin<{
      enrollment_status: string;
      email_sent: boolean;
    }>('PUT', path);
    expect(enrollment_status).toBe('active');
    return email_sent;
  };
  /** How many mails about approvals the mail log has for the app: those that are sent, and those over a limit. */
  const mails = async () => {
    const [row] = await fixture.world.sql<{ sent: number; not: number }>(
      `SELECT count(*) FILTER (WHERE state <> 'over_limit')::int AS sent,
         count(*) FILTER (WHERE state = 'over_limit')::int AS not
       FROM mail_log WHERE app_id = $1 AND template = 'approved'`,
      [app.id],
    );
    return row;
  };
  const tab = () => `/console/apps/${app.id}/members`;
  const send = async (fields: Record<string, string>) =>
    fixture.browser.post(`${tab()}/bulk`, { form_token: contentToken(await fixture.browser.get(tab())), ...fields });
  const ticked = (users: readonly Pending[]) => Object.fromEntries(users.map(({ id }) => [`pick:${id}`, 'on']));

  async function approveAllByTask(): Promise<string> {
    const { location } = await send({ act: 'approve', whom: 'all', q: 'One of many' });
    await fixture.press(location!, `${location}/start`);
    return eventually('the task has ended', async () => {
      const words = contentWords(await fixture.browser.get(location!));
      return /users? (?:is|are) approved/.test(words) && words;
    });
  }

  describe('beyond the limits', () => {
    beforeAll(() => open({ member_mail: { points: 2, ...HOUR }, approval_mail: { points: 3, ...HOUR } }));
    afterAll(() => fixture.close());

    it('are not sent to the same user, who is approved all the same; the mail log has them', async () => {
      const [user] = await pending(1);
      const sent = [];
      let address = user!.email;
      for (let n = 0; n < 3; n++) {
        await waitAgain(user!);
        // Whatever address the account has by now: addresses have a limit of their own.
        address = newAddress();
        await fixture.world.sql('UPDATE users SET email = $2, email_canonical = $2 WHERE id = $1', [user!.id, address]);
        sent.push(await approve(user!));
      }
      expect(sent).toEqual([true, true, false]);
      expect(await mails()).toEqual({ sent: 2, not: 1 });
      const path = `/admin/mails?user_id=${user!.id}&state=over_limit`;
      const [mail] = await fixture.world.asAdmin<Record<string, unknown>[]>('GET', path);
      expect(mail).toMatchObject({
        template: 'approved',
        to: address,
        app_id: app.id,
        state: 'over_limit',
        can_resend: true,
      });
      expect(mail!['ended_at']).not.toBeNull();
      const page = contentWords(await fixture.browser.get(`/console/apps/${app.id}/mails?state=over_limit`));
      expect(page).toContain('Not sent A limit of e-mails was reached');
      const resend = () =>
        fixture.world.call('POST', `/admin/mails/${String(mail!['id'])}/resend`, undefined, {
          token: fixture.world.admin.token,
        });
      const refused = await resend();
      expect([refused.status, refused.body]).toEqual([429, { detail: 'too_many_requests' }]);
      const list = `/console/users/${user!.id}/mails`;
      const form = { form_token: contentToken(await fixture.browser.get(list)), back: list };
      await fixture.browser.post(`/console/mails/${String(mail!['id'])}/resend`, form);
      expect(contentWords(await fixture.browser.get(list))).toContain(
        'Not sent: too many e-mails were sent to this address or by this app. Try again in 60 minutes.',
      );
      expect(await mails()).toEqual({ sent: 2, not: 1 });
      await fixture.world.asAdmin('POST', `/admin/users/${user!.id}/rate-limits/clear`);
      expect((await resend()).status).toBe(200);
      expect(await mails()).toEqual({ sent: 3, not: 1 });
    });

    it('are not sent to the same address, although its account is a new one', async () => {
      const [user] = await pending(1);
      expect(await approve(user!)).toBe(true);
      const again = async (): Promise<Pending> => {
        await fixture.world.sql('DELETE FROM users WHERE email = $1', [user!.email]);
        const made = await fixture.world.asAdmin<Pending>('POST', '/admin/users', {
          email: user!.email,
          display_name: 'Again',
          app_id: app.id,
        });
        await waitAgain(made);
        return made;
      };
      expect([await approve(await again()), await approve(await again())]).toEqual([true, false]);
    });

    it('are not sent for the same app, and then use up no limit of the user and none of invites', async () => {
      const users = await pending(4);
      const sent = [];
      for (const user of users) sent.push(await approve(user));
      expect(sent).toEqual([true, true, true, false]);
      const invite = { send_to_email: newAddress() };
      const { token } = fixture.world.admin;
      expect((await fixture.world.call('POST', `/admin/apps/${app.id}/invites`, invite, { token })).status).toBe(201);
      const limits = fixture.service.nest.get(RateLimitsService, { strict: false });
      const left = async ({ id }: Pending) =>
        (await limits.peek('member_mail', `${id} ${fixture.tenant.id}`)).remaining;
      expect(await Promise.all(users.map(left))).toEqual([1, 1, 1, 2]);
      const other = await fixture.world.app(fixture.tenant);
      const member = await fixture.world.user(other);
      await waitAgain(member);
      expect(await approve(member, other)).toBe(true);
    });

    it('are named by the console, for one user and for several', async () => {
      const users = await pending(6);
      const some = await send({ act: 'approve', whom: 'ticked', ...ticked(users.slice(0, 4)) });
      expect(some.location).toBe(tab());
      expect(contentWords(await fixture.browser.get(tab()))).toContain(
        '4 members were approved. 1 user gets no e-mail, because a limit of e-mails was reached.',
      );
      const [, , , , fifth, sixth] = users;
      const words = 'One of many was approved, but gets no e-mail, because a limit of e-mails was reached.';
      const member = `${tab()}/${fifth!.id}`;
      await fixture.press(member, `${member}/approve`);
      expect(contentWords(await fixture.browser.get(member))).toContain(words);
      const user = `/console/users/${sixth!.id}`;
      await fixture.press(user, `${user}/apps/${app.id}/approve`);
      expect(contentWords(await fixture.browser.get(user))).toContain(words);
      const more = await pending(3);
      const [first, ...others] = more;
      const queue = '/console/requests';
      await fixture.press(queue, `${queue}/${app.id}/${first!.id}/approve`);
      expect(contentWords(await fixture.browser.get(queue))).toContain(words);
      const picks = Object.fromEntries(others.map(({ id }) => [`pick:${id}:${app.id}`, 'on']));
      const form_token = contentToken(await fixture.browser.get(queue));
      await fixture.browser.post(`${queue}/bulk`, { form_token, act: 'approve', ...picks });
      expect(contentWords(await fixture.browser.get(queue))).toContain(
        '2 requests were approved. 2 users get no e-mail, because a limit of e-mails was reached.',
      );
      expect(await mails()).toEqual({ sent: 3, not: 6 });
    });

    it('are counted on the page of a task', async () => {
      await pending(5);
      expect(await approveAllByTask()).toContain(
        '5 users are approved. 2 users get no e-mail, because a limit of e-mails was reached.',
      );
      expect(await mails()).toEqual({ sent: 3, not: 2 });
    });

    it('are not counted for callers who may not approve', async () => {
      const [user] = await pending(1);
      const tenant = await fixture.world.tenant();
      const stranger = await fixture.world.tenantAdmin(tenant);
      const { access_token: token } = await fixture.world.tokens(stranger, tenant.consoleAppId);
      const path = `/admin/users/${user!.id}/apps/${app.id}/approve`;
      for (let n = 0; n < 3; n++)
        expect((await fixture.world.call('PUT', path, undefined, { token })).status).not.toBe(200);
      expect(await approve(user!)).toBe(true);
      const limits = fixture.service.nest.get(RateLimitsService, { strict: false });
      expect((await limits.peek('approval_mail', `${fixture.tenant.id} ${app.id}`)).remaining).toBe(2);
    });
  });

  describe('within the limits', () => {
    beforeAll(() => open({}));
    afterAll(() => fixture.close());

    it('reach all of 300 users who are approved at once', async () => {
      await pending(300);
      expect(await approveAllByTask()).toContain('300 users are approved.');
      expect(await mails()).toEqual({ sent: 300, not: 0 });
    });
  });
});
