import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { UsersService } from '../../../src/users/users.service.js';
import { type MailingService, startMailingService } from '../../support/mailing-service.js';
import { newAddress, signUpUser, signUp, ssoCookieOf } from '../../support/new-user.js';
import { type TestClient, PASSWORD, type TestTenant, unique, type World } from '../../support/world.js';

describe('POST /auth/signup', () => {
  let mailing: MailingService;
  let world: World;
  let tenant: TestTenant;
  let open: TestClient;

  beforeAll(async () => {
    mailing = await startMailingService();
    ({ world } = mailing);
    tenant = await world.tenant();
    open = await world.app(tenant, { registration_policy: 'open' });
  });

  afterAll(() => mailing.close());

  const rows = (email: string) =>
    world.sql<{ id: string; email_verified: boolean; password_hash: string | null }>(
      'SELECT id, email_verified, password_hash FROM users WHERE email_canonical = $1',
      [email],
    );

  it('signs a new user in at an open app and mails a verification link', async () => {
    const email = newAddress();
    const answer = await signUp(world, open, { email });
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({ token_type: 'Bearer', expires_in: 900 });
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(ssoCookieOf(answer)).toBeDefined();
    const me = await world.call('GET', '/userinfo', undefined, { token: answer.body.access_token });
    expect(me.body).toMatchObject({ email, email_verified: false, name: 'Grace Hopper' });
    const mail = await mailing.smtp.next(email, 'Confirm your e-mail address');
    expect(mail.recipients).toEqual([email]);
  });

  it('creates an SSO session that the hosted page accepts', async () => {
    const cookie = ssoCookieOf(await signUp(world, open))!;
    const query = new URLSearchParams({ app_id: open.id, redirect_uri: open.redirectUri }).toString();
    const page = await world.call('GET', `/login?${query}`, undefined, {
      headers: { Cookie: cookie, Accept: 'text/html' },
    });
    expect(page.status).toBe(302);
    expect(new URL(page.headers.get('location')!).searchParams.get('code')).toMatch(/^.{20,}$/);
  });

  it('follows the rules that the app has after the password was hashed', async () => {
    const users = mailing.service.nest.get(UsersService, { strict: false });
    const hash = users.hashPassword.bind(users);
    const config = { available_roles: ['user', 'member', 'guest'], auto_assign_roles: ['member'] };
    const app = await world.app(tenant, { registration_policy: 'open', config });
    const during = async (change: object) => {
      const email = newAddress();
      users.hashPassword = async (...password) => {
        await world.asAdmin('PUT', `/admin/apps/${app.id}`, change);
        return hash(...password);
      };
      const { status, body } = await signUp(world, app, { email });
      users.hashPassword = hash;
      const [user] = await rows(email);
      return [status, user?.id, body as object] as const;
    };
    const [entered, id] = await during({ config: { auto_assign_roles: ['guest'] } });
    expect([entered, await world.sql('SELECT roles FROM enrollments WHERE user_id = $1', [id])]).toEqual([
      200,
      [{ roles: ['user', 'guest'] }],
    ]);
    const [asked, pending, answer] = await during({ registration_policy: 'approval' });
    expect([asked, pending, answer]).toEqual([200, expect.any(String), { status: 'pending_approval' }]);
    const [opened, , tokens] = await during({ registration_policy: 'open' });
    expect([opened, tokens]).toEqual([200, expect.objectContaining({ token_type: 'Bearer' })]);
    expect((await during({ registration_policy: 'invite' })).slice(0, 2)).toEqual([400, undefined]);
  });

  it('leaves a new user pending at an app that approves: no token, no cookie, no access', async () => {
    const app = await world.app(tenant, { registration_policy: 'approval' });
    const email = newAddress();
    const answer = await signUp(world, app, { email });
    expect([answer.status, answer.body]).toEqual([200, { status: 'pending_approval' }]);
    expect(answer.headers.getSetCookie()).toEqual([]);
    const login = await world.login({ id: '', email, password: PASSWORD }, app.id);
    expect([login.status, login.body]).toEqual([403, { detail: 'You do not have access' }]);
    expect(ssoCookieOf(login)).toBeUndefined();
    await mailing.smtp.next(email, 'Confirm your e-mail address');
  });

  it('requires an invite code at an app with the policy invite, and at the Console', async () => {
    const app = await world.app(tenant, { registration_policy: 'invite' });
    for (const appId of [app.id, tenant.consoleAppId, world.platformConsoleId]) {
      const email = newAddress();
      const answer = await signUp(world, { id: appId }, { email });
      expect([answer.status, answer.body]).toEqual([400, { detail: 'This app requires an invite code' }]);
      expect(await rows(email)).toEqual([]);
    }
  });

  it.each(['open', 'approval', 'invite'])(
    'makes no account at an app that asks for consent, with the policy %s',
    async (registration_policy) => {
      const config = { client_type: 'confidential', third_party: true };
      const app = await world.app(tenant, { registration_policy, config });
      const email = newAddress();
      const answer = await signUp(world, app, { email });
      expect([answer.status, answer.body]).toEqual([400, { detail: 'Invalid app_id' }]);
      expect(await rows(email)).toEqual([]);
    },
  );

  // security 30
  it.each([
    ['the same address', (a: string) => a],
    ['upper case', (a: string) => a.toUpperCase()],
    ['blanks around', (a: string) => `  ${a} `],
  ])('recognizes an existing account by %s', async (_what, alike) => {
    const email = `nifi-${unique()}@example.com`;
    expect((await signUp(world, open, { email })).status).toBe(200);
    const again = await signUp(world, open, { email: alike(email) });
    expect([again.status, again.body]).toEqual([400, { detail: 'Account already exists' }]);
    expect(again.headers.getSetCookie()).toEqual([]);
    expect(await rows(email)).toHaveLength(1);
  });

  // security 30
  it('creates one account for parallel requests', async () => {
    const email = newAddress();
    const spellings = [email, email.toUpperCase(), ` ${email}`, email.replace('n', 'N')];
    const answers = await Promise.all(
      Array.from({ length: 16 }, (_, index) => signUp(world, open, { email: spellings[index % spellings.length] })),
    );
    const statuses = answers.map((answer) => answer.status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(1);
    // On a busy machine the queue of hashes is full before the sixteenth.
    expect(statuses.filter((status) => ![200, 400, 503].includes(status))).toEqual([]);
    expect(await rows(email)).toHaveLength(1);
  });

  // security 2
  it('applies the tenant’s password policy, in code points', async () => {
    const strict = await world.app(await world.tenant({ min_password_length: 12 }), { registration_policy: 'open' });
    const email = newAddress();
    const short = await signUp(world, strict, { email, password: '🔑'.repeat(11) });
    expect([short.status, short.body]).toEqual([400, { detail: 'Password must be at least 12 characters' }]);
    expect(await rows(email)).toEqual([]);
    expect((await signUp(world, strict, { email, password: '🔑'.repeat(12) })).status).toBe(200);
    const floor = await signUp(world, open, { password: 'seven77' });
    expect(floor.body).toEqual({ detail: 'Password must be at least 8 characters' });
  });

  it.each([[{}], [{ password: null }]])(
    'creates a passwordless account (%j), which no password opens',
    async (fields) => {
      const email = newAddress();
      const body = { email, display_name: 'No Password', app_id: open.id, ...fields };
      const answer = await world.call('POST', '/auth/signup', body);
      expect([answer.status, answer.body['token_type']]).toEqual([200, 'Bearer']);
      expect((await rows(email))[0]!.password_hash).toBeNull();
      const login = await world.login({ id: '', email, password: PASSWORD }, open.id);
      expect([login.status, login.body.detail]).toEqual([401, 'Invalid email or password']);
    },
  );

  it('rejects a password at an app without passwords, but accepts the user without one', async () => {
    const app = await world.app(tenant, {
      registration_policy: 'open',
      config: { allowed_providers: ['magic_link'] },
    });
    const email = newAddress();
    const refused = await signUp(world, app, { email });
    expect([refused.status, refused.body.detail]).toEqual([400, 'Password login not enabled']);
    expect(await rows(email)).toEqual([]);
    expect((await signUp(world, app, { email, password: null })).status).toBe(200);
  });

  // security 27
  it.each(['email_verified', 'emailVerified', 'verified'])('does not accept %s from the user', async (name) => {
    const email = newAddress();
    await signUp(world, open, { email, [name]: true });
    const found = await rows(email);
    expect(found.filter((row) => row.email_verified)).toEqual([]);
    const made = newAddress();
    const admin = await world.tenantAdmin(tenant);
    const { access_token: token } = await world.tokens(admin, tenant.consoleAppId);
    const service = await world.serviceToken(open);
    for (const bearer of [token, service]) {
      await world.call(
        'POST',
        '/admin/users',
        { email: made, display_name: 'X', app_id: open.id, [name]: true },
        { token: bearer },
      );
    }
    expect((await rows(made)).map((row) => row.email_verified)).toEqual([false]);
  });

  // security 8
  it('is rejected from a page of another origin and with JSON in another content type', async () => {
    const email = newAddress();
    const foreign = await signUp(world, open, { email }, { Origin: 'https://evil.example' });
    const crossSite = await signUp(world, open, { email }, { 'Sec-Fetch-Site': 'cross-site' });
    const disguised = await signUp(world, open, { email }, { 'Content-Type': 'text/plain' });
    expect([foreign.status, crossSite.status, disguised.status]).toEqual([403, 403, 415]);
    for (const answer of [foreign, crossSite, disguised]) expect(answer.headers.getSetCookie()).toEqual([]);
    expect(await rows(email)).toEqual([]);
  });

  // security 31
  it.each([
    'a@example.com,b@example.com',
    'a@example.com;b@example.com',
    '"a b"@example.com',
    'a@example.com\r\nBcc: b@example.com',
    'a@b@example.com',
    'a b@example.com',
    `${'a'.repeat(64)}@${'b'.repeat(60)}.${'c'.repeat(60)}.${'d'.repeat(60)}.example`,
    '<a@example.com>',
    ['a@example.com', 'b@example.com'],
  ])('rejects the address %j with 422 and sends no mail', async (email) => {
    const before = mailing.smtp.offered.length;
    const asked = [
      signUp(world, open, { email }),
      world.call('POST', '/auth/forgot-password', { email, app_id: open.id }),
      world.call('POST', '/auth/magic-link/request', { email, app_id: open.id }),
    ];
    for (const answer of await Promise.all(asked)) expect(answer.status).toBe(422);
    const witness = await signUpUser(world, open); // whatever had been promised before it would have left before it
    await mailing.smtp.next(witness.email, 'Confirm your e-mail address');
    // Mails of earlier tests may still be on their way: their addresses carry twelve hexadecimal digits.
    const isEarlier = (address: string) => /-[0-9a-f]{12}@/.test(address);
    expect(mailing.smtp.offered.slice(before).filter((address) => !isEarlier(address))).toEqual([]);
  });

  it('returns an error for an unknown app and writes nothing', async () => {
    const email = newAddress();
    const answer = await signUp(world, { id: '00000000-0000-4000-8000-000000000000' }, { email });
    expect([answer.status, answer.body.detail]).toEqual([400, 'Invalid app_id']);
    expect(await rows(email)).toEqual([]);
  });
});
