import { HostedBrowser, type HostedAnswer } from './hosted-page.js';
import { type Failure, postForm } from './post.js';
import type { Answer, TestUser, TestClient, TestTenant, Tokens, World } from './world.js';

export const DEVICE_CODE_GRANT = 'urn:ietf:params:oauth:grant-type:device_code';
/** What the device calls itself. */
export const PROGRAM = 'Television/7.1 (living room)';

export interface DeviceAnswer {
  readonly device_code: string;
  readonly user_code: string;
  readonly verification_uri: string;
  readonly verification_uri_complete: string;
  readonly expires_in: number;
  readonly interval: number;
}

type Client = Pick<TestClient, 'id'>;
type Headers = Readonly<Record<string, string>>;

/** An app that lets devices in. */
export function deviceApp(
  world: World,
  tenant: TestTenant,
  config: Record<string, unknown> = {},
  fields: Record<string, unknown> = {},
): Promise<TestClient> {
  return world.app(tenant, { ...fields, config: { device_grant: true, ...config } });
}

export function askForDevice(
  baseUrl: string,
  fields: Record<string, string>,
  headers: Headers = {},
): Promise<Answer<DeviceAnswer & Failure>> {
  return postForm<DeviceAnswer & Failure>(`${baseUrl}/auth/device-authorization`, fields, {
    'User-Agent': PROGRAM,
    ...headers,
  });
}

export async function beginDevice(
  world: World,
  { id }: Client,
  fields: Record<string, string> = {},
): Promise<DeviceAnswer> {
  const answer = await askForDevice(world.baseUrl, { client_id: id, ...fields });
  if (answer.status !== 200) throw new Error(`No device code: ${answer.status} ${JSON.stringify(answer.body)}`);
  return answer.body;
}

export function pollDevice(
  baseUrl: string,
  { id }: Client,
  device_code: string,
  headers: Headers = {},
): Promise<Answer<Tokens & { readonly id_token?: string; readonly scope?: string } & Failure>> {
  const fields = { grant_type: DEVICE_CODE_GRANT, client_id: id, device_code };
  return postForm(`${baseUrl}/auth/token`, fields, headers);
}

/** Types the code on the page. @returns the page that follows */
export async function typeCode(browser: HostedBrowser, user_code: string, path = '/device'): Promise<HostedAnswer> {
  return browser.submit(await browser.get(path), { user_code });
}

/** Types the code and signs in. @returns the page that asks to compare */
export async function reachApproval(
  world: World,
  user: TestUser,
  device: DeviceAnswer,
  browser = new HostedBrowser(world.baseUrl),
): Promise<{ browser: HostedBrowser; page: HostedAnswer }> {
  const login = await typeCode(browser, device.user_code);
  const page = await browser.submit(login, { email: user.email, password: user.password });
  return { browser, page };
}

export async function allowDevice(world: World, user: TestUser, device: DeviceAnswer): Promise<HostedBrowser> {
  const { browser, page } = await reachApproval(world, user, device);
  const end = await browser.submit(page, { answer: 'allow' });
  if (!end.body.includes('Sign-in allowed')) throw new Error(`Not allowed: ${end.status} ${end.body.slice(0, 300)}`);
  return browser;
}
