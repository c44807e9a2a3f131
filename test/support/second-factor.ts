import { codeAt } from './authenticator.js';
import type { HostedAnswer } from './hosted-page.js';
import { ssoCookieOf } from './new-user.js';
import type { Answer, TestUser, Tokens, World } from './world.js';

/** A user's authenticator app and the codes they have kept. */
export interface Enrolled {
  readonly secret: string;
  readonly backupCodes: readonly string[];
}

export type Verified = Answer<Tokens & { detail?: unknown }>;

/** A fresh factor by JSON, with no code spent yet: tests need not wait for the next half minute. @param now Unix seconds */
export async function enroll(
  world: World,
  user: TestUser,
  appId: string,
  now = () => Date.now() / 1000,
): Promise<Enrolled> {
  const { access_token: token } = await world.tokens(user, appId);
  const { password } = user;
  const setup = await world.call<{ secret: string }>('POST', '/account/totp/setup', { password }, { token });
  if (setup.status !== 200) throw new Error(`No set-up: ${setup.status} ${JSON.stringify(setup.body)}`);
  const { secret } = setup.body;
  const code = codeAt(secret, now());
  const confirm = await world.call<{ backup_codes: string[] }>('POST', '/account/totp/confirm', { code }, { token });
  if (confirm.status !== 200) throw new Error(`Not confirmed: ${confirm.status} ${JSON.stringify(confirm.body)}`);
  await forgetSteps(world, user);
  return { secret, backupCodes: confirm.body.backup_codes };
}

/** As if the codes shown so far had not been used. */
export async function forgetSteps(world: World, user: { id: string }): Promise<void> {
  await world.sql('UPDATE second_factors SET last_step = 0 WHERE user_id = $1', [user.id]);
}

/** The header that carries the SSO cookie of an answer: what changes a second factor that is set up. */
export function sessionOf(answer: { headers: Headers }): { headers: { Cookie: string } } {
  return { headers: { Cookie: ssoCookieOf(answer)! } };
}

/** The first half of a JSON sign-in. */
export async function totpSession(
  world: World,
  user: TestUser,
  appId: string,
  extra: Record<string, unknown> = {},
): Promise<string> {
  const answer = await world.login(user, appId, extra);
  const { totp_session } = answer.body as unknown as { totp_session?: string };
  if (!totp_session) throw new Error(`No second factor asked for: ${answer.status} ${JSON.stringify(answer.body)}`);
  return totp_session;
}

export function verify(
  world: World,
  totp_session: string,
  code: unknown,
  headers: Record<string, string> = {},
): Promise<Verified> {
  return world.call('POST', '/auth/totp/verify', { totp_session, code }, { headers });
}

/** What a sign-in leaves in the database: nothing of it may exist before the second factor. */
export async function sessionsAndTokens(world: World, { id }: { id: string }): Promise<Record<string, number>> {
  const [row] = await world.sql<Record<string, number>>(
    `SELECT (SELECT count(*)::int FROM sso_sessions WHERE user_id = $1 AND ended_at IS NULL) AS sessions,
       (SELECT count(*)::int FROM refresh_families WHERE user_id = $1) AS families,
       (SELECT count(*)::int FROM authorization_codes WHERE user_id = $1) AS codes,
       (SELECT count(*)::int FROM audit_entries WHERE user_id = $1 AND action = 'user.login') AS logins`,
    [id],
  );
  return row!;
}

/** The secret that the set-up page shows for typing. */
export function secretOn(page: HostedAnswer): string {
  const shown = /<p class="secret"[^>]*>([\s\S]*?)<\/p>/.exec(page.body)?.[1];
  if (!shown) throw new Error(`No secret on the page (${page.status})`);
  return shown.replace(/<[^>]*>|\s/g, '');
}

export function backupCodesOn(page: HostedAnswer): string[] {
  return [...page.body.matchAll(/<li><code>([^<]+)<\/code><\/li>/g)].map(([, code]) => code!);
}
