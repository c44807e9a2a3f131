import { type Answer, PASSWORD, type TestUser, type Tokens, unique, type World } from './world.js';

export type SignUpAnswer = Answer<Tokens & { status?: string; detail?: unknown }>;

/** POST /auth/signup with sensible values. */
export function signUp(
  world: World,
  app: { id: string },
  fields: Record<string, unknown> = {},
  headers: Record<string, string> = {},
): Promise<SignUpAnswer> {
  const body = { email: newAddress(), display_name: 'Grace Hopper', password: PASSWORD, app_id: app.id, ...fields };
  return world.call('POST', '/auth/signup', body, { headers });
}

/** Made one after the other: many at once wait for their password hashes, and a busy machine refuses the last (503). */
export async function newUsers(
  world: World,
  count: number,
  app?: { id: string },
  fields: Record<string, unknown> = {},
): Promise<TestUser[]> {
  const users: TestUser[] = [];
  for (let n = 0; n < count; n++) users.push(await world.user(app, fields));
  return users;
}

/** A user who has signed up and not proven their address. */
export async function signUpUser(
  world: World,
  app: { id: string },
  fields: Record<string, unknown> = {},
): Promise<TestUser & { tokens: Tokens; ssoCookie: string | undefined }> {
  const email = newAddress();
  const answer = await signUp(world, app, { email, ...fields });
  if (answer.status !== 200) throw new Error(`Sign-up failed: ${answer.status} ${JSON.stringify(answer.body)}`);
  const [row] = await world.sql<{ id: string }>('SELECT id FROM users WHERE email = $1', [email]);
  return { id: row!.id, email, password: PASSWORD, tokens: answer.body, ssoCookie: ssoCookieOf(answer) };
}

export function newAddress(): string {
  return `new-${unique()}@example.com`;
}

/** `name=value` of the SSO cookie that an answer sets, ready to be sent back. */
export function ssoCookieOf(answer: { headers: Headers }): string | undefined {
  return answer.headers
    .getSetCookie()
    .find((line) => /^(__Host-)?sso=/.test(line))
    ?.split(';')[0];
}
