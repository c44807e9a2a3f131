import type { Settings } from '../../src/config/settings.js';
import { DeliveryQueues } from '../../src/push/deliveries/delivery-queues.js';
import { type PushApp, pushApp, registerDevice, send } from './push.js';
import { FcmServer } from './servers/fcm-server.js';
import { PushService } from './servers/push-service.js';
import { startTestApp, type TestApp, type TestAppOptions } from './test-app.js';
import { freshDatabase } from './test-database.js';
import { eventually } from './wait.js';
import { type TestUser, World } from './world.js';

export interface PushFixture {
  readonly service: TestApp;
  readonly world: World;
  readonly fcm: FcmServer;
  readonly browsers: PushService;
  close(): Promise<void>;
}

/**
 * A service that pushes for real to peers of its own; so is its database, lest another test's service delivers. Google
 * is where `fcm` is, and private addresses are allowed, for the peers have no other.
 */
export async function startPushFixture(
  settings: Partial<Settings> = {},
  override?: TestAppOptions['override'],
): Promise<PushFixture> {
  const [database, fcm, browsers] = await Promise.all([freshDatabase(), FcmServer.start(), PushService.start()]);
  const service = await startTestApp({
    settings: {
      databaseUrl: database.url,
      fcmEndpoint: fcm.origin,
      allowPrivateNetworkTargets: true,
      ...settings,
    },
    override,
  });
  const world = await World.open(service.baseUrl, database.url);
  return {
    service,
    world,
    fcm,
    browsers,
    close: async () => {
      await world.close();
      await service.close();
      await Promise.all([fcm.stop(), browsers.stop()]);
      await database.drop();
    },
  };
}

/** An app with a Firebase account of its own. */
export function fcmApp({ world, fcm }: Pick<PushFixture, 'world' | 'fcm'>): Promise<PushApp> {
  return pushApp(world, { fcm_service_account: fcm.account() });
}

/** A user of the app whose browser is subscribed. */
export async function subscriber(
  { world, browsers }: Pick<PushFixture, 'world' | 'browsers'>,
  app: PushApp,
): Promise<{ user: TestUser; device: string; browser: string }> {
  const user = await world.user(app);
  const { id, token } = browsers.subscribe();
  const device = await registerDevice(world, app, user, { platform: 'web', push_token: token });
  return { user, device, browser: id };
}

/** @returns the notification's id, answered 200 */
export async function notify(
  world: World,
  app: PushApp,
  user: { id: string },
  fields: Record<string, unknown> = {},
): Promise<string> {
  const answer = await send<{ notification_id: string }>(world, app, '', {
    user_id: user.id,
    title: 'Hello',
    body: 'World',
    ...fields,
  });
  if (answer.status !== 200) throw new Error(`Not sent: ${answer.status} ${JSON.stringify(answer.body)}`);
  return answer.body.notification_id;
}

export interface NotificationView {
  readonly notification_id: string;
  readonly status: string;
  readonly device_count: number;
  readonly delivered_count: number;
  readonly failed_count: number;
  readonly completed_at: string | null;
}

export async function notification(world: World, app: PushApp, id: string): Promise<NotificationView> {
  const path = `/push/notifications/${id}`;
  return (await world.call<NotificationView>('GET', path, undefined, { token: app.serviceToken })).body;
}

/** Once its deliveries have ended. */
export function ended(world: World, app: PushApp, id: string): Promise<NotificationView> {
  return eventually('the notification has ended', async () => {
    const view = await notification(world, app, id);
    return view.completed_at === null ? null : view;
  });
}

export interface DeliveryRow {
  readonly device_id: string;
  readonly status: string;
  readonly attempts: number;
  readonly error: string | null;
  /** Seconds until it is due. */
  readonly due: number;
}

export function deliveries(world: World, id: string): Promise<DeliveryRow[]> {
  return world.sql<DeliveryRow & object>(
    `SELECT device_id, status, attempts, error, extract(epoch FROM next_attempt_at - now())::float8 AS due
     FROM notification_deliveries WHERE notification_id = $1 ORDER BY device_id`,
    [id],
  );
}

/** Lets no pause pass in which a test would only wait: what is queued is due, and its app is woken. */
export async function dueNow({ world, service }: PushFixture, app: PushApp, id: string): Promise<void> {
  await world.sql(
    `UPDATE notification_deliveries SET next_attempt_at = now() WHERE notification_id = $1 AND status = 'queued'`,
    [id],
  );
  service.nest.get(DeliveryQueues).wake(app.id);
}
