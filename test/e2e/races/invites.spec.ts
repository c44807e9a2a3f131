import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { bearer, type InviteRecord, mailedInvite, newInvite } from '../../support/invites.js';
import { newAddress, ssoCookieOf } from '../../support/new-user.js';
import { type Failure, postJson } from '../../support/post.js';
import { type ServicePair, startPair } from '../../support/service-pair.js';
import { comeAgain } from '../../support/judged.js';
import { countWaiters, holdRows } from '../../support/row-locks.js';
import { SmtpInbox } from '../../support/smtp.js';
import { startTestApp, type TestApp } from '../../support/test-app.js';
import { freshDatabase, type TestDatabase } from '../../support/test-database.js';
import { eventually } from '../../support/wait.js';
import { type Answer, type TestClient, type TestTenant, type Tokens, World } from '../../support/world.js';

const AT_ONCE = 32;
/** What is sent at once arrives as it happens to; and all of it while the row is held, so that it waits in line. */
const ROUNDS = ['as it comes', 'held'] as const;
/** Of the transactions that the two processes may have open at a time. */
const IN_LINE = 8;

// security 85; faults to survive, F12. Real processes, one database.
describe('One invite at two processes', () => {
  let database: TestDatabase;
  let smtp: SmtpInbox;
  let pair: ServicePair;
  /** Sends the mails. */
  let mailing: TestApp;
  let world: World;
  let tenant: TestTenant;
  let app: TestClient;

  beforeAll(async () => {
    [database, smtp] = await Promise.all([freshDatabase(), SmtpInbox.start()]);
    pair = await startPair({ DATABASE_URL: database.url, MAIL_URL: smtp.url });
    const settings = { databaseUrl: database.url, mailUrl: smtp.url, baseUrl: pair.addresses[0] };
    mailing = await startTestApp({ settings });
    world = await World.open(mailing.baseUrl, database.url);
    tenant = await world.tenant();
    app = await world.app(tenant);
  });

  afterAll(async () => {
    await world.close();
    await Promise.all([pair.stop(), mailing.close(), smtp.stop()]);
    await database.drop();
  });

  /** All of it at once at both processes. */
  async function race<T>(
    how: (typeof ROUNDS)[number],
    { id }: InviteRecord,
    count: number,
    request: (address: string, index: number) => Promise<T>,
  ): Promise<T[]> {
    if (how === 'as it comes') return pair.atOnce(count, request);
    const release = await holdRows(database.url, 'SELECT 1 FROM invites WHERE id = $1 FOR UPDATE', [id]);
    let isOver = false;
    const answers = pair.atOnce(count, request).finally(() => (isOver = true));
    // On a busy machine the first may have been sent away before the last of them waits.
    await eventually('they wait', async () => isOver || (await countWaiters(world)) >= IN_LINE, { every: 10 });
    await release();
    return answers;
  }

  type Joined = Answer<Tokens & Failure & { status?: string }>;
  const accept = (address: string, code: string, fields: object = {}, headers = {}) =>
    postJson<Tokens & Failure>(
      `${address}/auth/accept-invite`,
      { app_id: app.id, invite_code: code, ...fields },
      headers,
    );
  const acceptNew = (address: string, code: string, at = app) =>
    accept(address, code, { app_id: at.id, email: newAddress(), display_name: 'Racer' });
  const won = (answers: readonly Joined[]) => answers.filter(({ status }) => status === 200).length;
  /** On a busy machine some may be sent away for now (503): whether their use was made, only the database knows. */
  const sentAway = (answers: readonly Joined[]) => answers.filter(({ status }) => status === 503).length;
  const refusals = (answers: readonly Joined[]) =>
    new Set(
      answers
        .filter(({ status }) => status !== 200 && status !== 503)
        .map(({ status, body }) => `${status} ${String(body.detail)}`),
    );
  const usesOf = async ({ id }: InviteRecord) =>
    (
      await world.sql<{ use_count: number; max_uses: number }>(
        'SELECT use_count, max_uses FROM invites WHERE id = $1',
        [id],
      )
    )[0]!;

  /** Uses and accepted entries are the same number, and it is that of the answers. @returns it */
  async function expectExact(invite: InviteRecord, answers: readonly Joined[]): Promise<number> {
    const { use_count: uses } = await usesOf(invite);
    expect(uses).toBeGreaterThanOrEqual(won(answers));
    expect(uses).toBeLessThanOrEqual(won(answers) + sentAway(answers));
    const accepted = await world.sql<{ user_id: string; use: number }>(
      `SELECT user_id, (metadata->>'use')::int AS use FROM audit_entries
       WHERE action = 'invite.accepted' AND target_id = $1 ORDER BY 2`,
      [invite.id],
    );
    expect(accepted.map(({ use }) => use)).toEqual(Array.from({ length: uses }, (_, index) => index + 1));
    return uses;
  }

  /** Takes what is left, one after the other: in the end it is exactly what the invite promised. */
  async function expectUsedUpAt(invite: InviteRecord, uses: number, at = app): Promise<void> {
    for (let left = uses - (await usesOf(invite)).use_count; left > 0; left--)
      expect((await acceptNew(pair.addresses[left % 2]!, invite.code, at)).status).toBe(200);
    expect((await acceptNew(pair.addresses[0], invite.code, at)).status).toBe(400);
    expect(await usesOf(invite)).toEqual({ use_count: uses, max_uses: uses });
  }

  async function expectSound(): Promise<void> {
    expect(await world.sql('SELECT id FROM invites WHERE use_count > max_uses')).toEqual([]);
    const homeless = `SELECT u.email FROM users u WHERE NOT EXISTS (SELECT 1 FROM enrollments e WHERE e.user_id = u.id)
                      AND u.id <> $1`;
    expect(await world.sql(homeless, [world.admin.id])).toEqual([]);
    const sessions = `SELECT 1 FROM refresh_families f
                      WHERE NOT EXISTS (SELECT 1 FROM enrollments e WHERE e.user_id = f.user_id AND e.app_id = f.app_id)
                        AND f.user_id <> $1`;
    expect(await world.sql(sessions, [world.admin.id])).toEqual([]);
  }

  it.each([1, 5, 31])('lets exactly %i of 32 new users in at once', async (max_uses) => {
    for (const how of ROUNDS) {
      const invite = await newInvite(world, app, { max_uses });
      const answers = await race(how, invite, AT_ONCE, (address) => acceptNew(address, invite.code));
      for (const refusal of refusals(answers)) expect(refusal).toBe('400 Invalid or expired invite');
      await expectExact(invite, answers);
      await expectUsedUpAt(invite, max_uses);
    }
    await expectSound();
  });

  it('lets exactly as many of 32 existing users join at once as it has uses', async () => {
    const home = await world.app(tenant, { registration_policy: 'open' });
    const sessions = await Promise.all(
      Array.from({ length: AT_ONCE }, async () => {
        const body = { email: newAddress(), display_name: 'Racer', app_id: home.id };
        return { Cookie: ssoCookieOf(await postJson(`${pair.addresses[0]}/auth/signup`, body))! };
      }),
    );
    for (const how of ROUNDS) {
      // Another app each time: who is in already needs no use.
      const at = await world.app(tenant);
      const invite = await newInvite(world, at, { max_uses: 7 });
      const answers = await race(how, invite, AT_ONCE, (address, index) =>
        accept(address, invite.code, { app_id: at.id }, sessions[index]),
      );
      for (const refusal of refusals(answers)) expect(refusal).toBe('400 Invalid or expired invite');
      await expectExact(invite, answers);
      await expectUsedUpAt(invite, 7, at);
    }
  });

  it('with one mail code used 32 times at once creates one account and one sign-in', async () => {
    for (const how of ROUNDS) {
      const email = newAddress();
      const { invite, code } = await mailedInvite({ world, smtp }, app, email);
      const answers = await race(how, invite, AT_ONCE, (address) => accept(address, code, { display_name: 'Racer' }));
      expect(won(answers)).toBeLessThanOrEqual(1);
      for (const refusal of refusals(answers))
        expect(['400 Invalid or expired invite', '401 Sign in to accept this invite']).toContain(refusal);
      expect(await expectExact(invite, answers)).toBe(1);
      const rows = await world.sql(
        `SELECT (SELECT count(*)::int FROM refresh_families f WHERE f.user_id = u.id) AS families,
                (SELECT count(*)::int FROM sso_sessions s WHERE s.user_id = u.id) AS sessions
         FROM users u WHERE u.email = $1`,
        [email],
      );
      expect(rows).toEqual([{ families: 1, sessions: 1 }]);
    }
  });

  it('for one new address with 32 invites at once creates one account, and other requests must sign in', async () => {
    for (let round = 0; round < 2; round++) {
      const email = newAddress();
      const invites = await Promise.all(Array.from({ length: AT_ONCE }, () => newInvite(world, app)));
      const answers = await pair.atOnce(AT_ONCE, (address, index) =>
        accept(address, invites[index]!.code, { email, display_name: 'Racer' }),
      );
      expect(won(answers)).toBeLessThanOrEqual(1);
      expect([...refusals(answers)]).toEqual(['401 Sign in to accept this invite']);
      const rows = await world.sql<{ used: number }>(
        'SELECT sum(use_count)::int AS used FROM invites WHERE id = ANY($1)',
        [invites.map(({ id }) => id)],
      );
      expect(rows).toEqual([{ used: 1 }]);
    }
    await expectSound();
  });

  it('revoked during 31 uses counts every user who joined, and no user joins afterwards', async () => {
    const authorization = bearer(world.admin.token);
    for (const how of ROUNDS) {
      const invite = await newInvite(world, app, { max_uses: 100 });
      const answers = await race(how, invite, AT_ONCE, async (address, index): Promise<Joined> => {
        if (index !== 9) return acceptNew(address, invite.code);
        const remove = () =>
          fetch(`${address}/admin/invites/${invite.id}`, { method: 'DELETE', headers: authorization });
        const gone = await comeAgain(remove);
        return { status: gone.status === 200 ? 299 : gone.status, headers: gone.headers, body: {} as Joined['body'] };
      });
      expect(answers[9]!.status).toBe(299);
      const uses = await expectExact(invite, answers);
      expect(await usesOf(invite)).toEqual({ use_count: uses, max_uses: uses });
      expect((await acceptNew(pair.addresses[1], invite.code)).status).toBe(400);
    }
  });

  it('resent and revoked at once has one winner, and no use counts twice', async () => {
    const authorization = bearer(world.admin.token);
    for (const how of ROUNDS) {
      const old = await newInvite(world, app, { max_uses: 3 });
      const answers = await race(how, old, 16, (address, index) =>
        index % 4 === 3
          ? comeAgain(() =>
              fetch(`${address}/admin/invites/${old.id}`, { method: 'DELETE', headers: authorization }),
            ).then(({ status }) => ({ status, body: null as unknown as InviteRecord }))
          : comeAgain(() => postJson<InviteRecord>(`${address}/admin/invites/${old.id}/resend`, {}, authorization)),
      );
      const resent = answers.filter(({ status, body }) => status === 200 && body);
      expect(resent.length).toBeLessThanOrEqual(1);
      expect(answers.filter(({ status }) => status !== 200 && status !== 409)).toEqual([]);
      expect(await usesOf(old)).toEqual({ use_count: 0, max_uses: 0 });
      const children = await world.sql<{ id: string }>(
        `SELECT target_id AS id FROM audit_entries WHERE action = 'invite.resent' AND metadata->>'replaces' = $1`,
        [old.id],
      );
      expect(children.map(({ id }) => id)).toEqual(resent.map(({ body }) => body.id));
      expect((await acceptNew(pair.addresses[0], old.code)).status).toBe(400);
    }
  });

  it('used and resent at once keeps the total number of uses', async () => {
    const authorization = bearer(world.admin.token);
    for (const how of ROUNDS) {
      const old = await newInvite(world, app, { max_uses: 10 });
      const answers = await race(how, old, AT_ONCE, (address, index) =>
        index === 5
          ? postJson<Tokens & Failure>(`${address}/admin/invites/${old.id}/resend`, {}, authorization)
          : acceptNew(address, old.code),
      );
      const used = await expectExact(
        old,
        answers.filter((_, index) => index !== 5),
      );
      const fresh = answers[5]!;
      const left = fresh.status === 200 ? (fresh.body as unknown as InviteRecord).max_uses : 0;
      expect(used + left).toBe(10);
    }
    await expectSound();
  });
});
