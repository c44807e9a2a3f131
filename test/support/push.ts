import { createECDH, randomBytes } from 'node:crypto';
import type { Answer, TestUser, TestClient, TestTenant, World } from './world.js';

/** An app with push on, its service token, and the means to play its users. */
export interface PushApp extends TestClient {
  readonly serviceToken: string;
  readonly tenant: TestTenant;
}

export interface PushConfig {
  readonly enabled: boolean;
  readonly webhook_url: string | null;
  readonly webhook_secret: string | null;
  readonly daily_quota: number;
  readonly vapid_public_key: string | null;
  readonly device_count?: number;
  readonly notifications_today?: number;
}

/** @param config of PATCH /push/config; the quota is out of the way by default */
export async function pushApp(world: World, config: Record<string, unknown> = {}): Promise<PushApp> {
  const tenant = await world.tenant();
  const app = await world.app(tenant);
  await world.asAdmin('PATCH', `/push/config/${app.id}`, { enabled: true, daily_quota: 1_000_000, ...config });
  return { ...app, tenant, serviceToken: await world.serviceToken(app, 'push:send') };
}

/** As {@link PushApp}'s server. */
export function send<Body = Record<string, unknown>>(
  world: World,
  app: Pick<PushApp, 'serviceToken'>,
  path: '' | '/bulk' | '/batch',
  body: unknown,
  headers: Record<string, string> = {},
): Promise<Answer<Body>> {
  return world.call<Body>('POST', `/push/send${path}`, body, { token: app.serviceToken, headers });
}

/** As the user's device. @returns the device's id */
export async function registerDevice(
  world: World,
  app: { id: string },
  user: TestUser,
  device: { platform?: string; push_token?: string } = {},
): Promise<string> {
  const { access_token } = await world.tokens(user, app.id);
  const answer = await world.call<{ device_id: string }>(
    'POST',
    '/push/devices/register',
    { app_id: app.id, platform: 'ios', push_token: fcmToken(), ...device },
    { token: access_token },
  );
  if (answer.status !== 201) throw new Error(`Not registered: ${answer.status} ${JSON.stringify(answer.body)}`);
  return answer.body.device_id;
}

export function fcmToken(): string {
  return `fcm:${randomBytes(24).toString('base64url')}`;
}

/** What a browser hands its page: a subscription as JSON text. */
export function subscription(endpoint: string, fields: Record<string, unknown> = {}): string {
  const keys = createECDH('prime256v1');
  keys.generateKeys();
  const p256dh = keys.getPublicKey().toString('base64url');
  const auth = randomBytes(16).toString('base64url');
  return JSON.stringify({ endpoint, expirationTime: null, keys: { p256dh, auth }, ...fields });
}
