import { HostedBrowser } from './hosted-page.js';
import { PKCE } from './one-time-code.js';
import { authorizationPath } from './openid-sign-in.js';
import type { TestUser, TestClient, TestTenant, World } from './world.js';

const ALLOW = { answer: 'allow', scope_email: 'on', scope_profile: 'on', scope_roles: 'on' };

/** A client that nobody of the tenant has made, written into the database as the service would. */
export async function selfRegisteredApp(
  world: World,
  tenant: TestTenant,
  { config = {}, ...fields }: Record<string, unknown> & { config?: Record<string, unknown> } = {},
): Promise<TestClient> {
  const app = await world.app(tenant, {
    registration_policy: 'invite',
    ...fields,
    config: { available_roles: ['user'], auto_assign_roles: ['user'], client_type: 'public', ...config },
  });
  await world.sql(`UPDATE apps SET origin = 'metadata_document', service_scopes = '{}' WHERE id = $1`, [app.id]);
  return app;
}

/** Without the page that asks. */
export async function enrolDirectly(world: World, app: { id: string }, user: TestUser): Promise<void> {
  await world.sql(`INSERT INTO enrollments (user_id, app_id, roles, status) VALUES ($1, $2, '{user}', 'active')`, [
    user.id,
    app.id,
  ]);
}

/** A code, with the consent of the user where they are asked. */
export async function consentedCode(
  world: World,
  app: TestClient,
  user: TestUser,
  parameters: Record<string, string> = {},
): Promise<string> {
  const browser = new HostedBrowser(world.baseUrl);
  let answer = await browser.signIn(authorizationPath(app, { ...PKCE, ...parameters }), user.email, user.password);
  for (let pages = 0; answer.status === 200 && pages < 3; pages++) answer = await browser.submit(answer, ALLOW);
  const code = answer.delivered.get('code');
  if (!code) throw new Error(`No code in ${answer.location}`);
  return code;
}
