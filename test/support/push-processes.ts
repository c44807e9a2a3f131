import { OwnRedis } from './own-redis.js';
import { fcmToken, type PushApp, registerDevice, send } from './push.js';
import { fcmApp } from './push-fixture.js';
import { FcmServer } from './servers/fcm-server.js';
import { PushService } from './servers/push-service.js';
import { startTestApp, type TestApp } from './test-app.js';
import { Workers } from './workers.js';
import { type TestUser, World } from './world.js';

/** The web application in this process, a Redis of its own, peers, and worker processes that come and go: one service. */
export class PushProcesses {
  private constructor(
    readonly redis: OwnRedis,
    readonly fcm: FcmServer,
    readonly browsers: PushService,
    private readonly web: TestApp,
    readonly workers: Workers,
    readonly world: World,
  ) {}

  static async start(databaseUrl: string): Promise<PushProcesses> {
    const [redis, fcm, browsers] = await Promise.all([OwnRedis.start(), FcmServer.start(), PushService.start()]);
    const web = await startTestApp({
      settings: { databaseUrl, redisUrl: redis.url, fcmEndpoint: fcm.origin, allowPrivateNetworkTargets: true },
    });
    const world = await World.open(web.baseUrl, databaseUrl);
    const env = {
      DATABASE_URL: databaseUrl,
      REDIS_URL: redis.url,
      FCM_ENDPOINT: fcm.origin,
      ALLOW_PRIVATE_NETWORK_TARGETS: 'true',
    };
    return new PushProcesses(redis, fcm, browsers, web, new Workers(() => env), world);
  }

  async stop(): Promise<void> {
    await this.workers.kill();
    await this.world.close();
    await this.web.close();
    await Promise.all([this.fcm.stop(), this.browsers.stop(), this.redis.kill()]);
  }

  /** An app, and a user of it with so many browsers and a phone. */
  async audience(browsers: number): Promise<{ app: PushApp; user: TestUser; browsers: string[]; phone: string }> {
    const { world } = this;
    const app = await fcmApp(this);
    const user = await world.user(app);
    const ids: string[] = [];
    for (let count = 0; count < browsers; count++) {
      const { id, token } = this.browsers.subscribe();
      await registerDevice(world, app, user, { platform: 'web', push_token: token });
      ids.push(id);
    }
    const phone = fcmToken();
    await registerDevice(world, app, user, { push_token: phone });
    return { app, user, browsers: ids, phone };
  }

  /** So many notifications to one user, in requests of 50. @returns their ids, all answered 200 */
  async notifyMany(app: PushApp, user: TestUser, count: number): Promise<string[]> {
    const ids: string[] = [];
    while (ids.length < count) {
      const user_ids = Array.from({ length: Math.min(50, count - ids.length) }, () => user.id);
      const answer = await send<{ notification_ids: string[] }>(this.world, app, '/bulk', {
        user_ids,
        title: 'Hello',
        body: 'World',
      });
      if (answer.status !== 200) throw new Error(`Not sent: ${answer.status}`);
      ids.push(...answer.body.notification_ids);
    }
    return ids;
  }

  /** How many of these notifications have which status. */
  async statuses(ids: readonly string[]): Promise<Record<string, number>> {
    const rows = await this.world.sql<{ status: string; count: number }>(
      'SELECT status, count(*)::int AS count FROM notifications WHERE id = ANY($1::uuid[]) GROUP BY status',
      [ids],
    );
    return Object.fromEntries(rows.map(({ status, count }) => [status, count]));
  }

  /** How often each of these notifications has reached this browser. */
  arrivals(browser: string): Map<string, number> {
    return countOf(this.browsers.to(browser).map(({ payload }) => payload.notification_id));
  }

  phoneArrivals(token: string): Map<string, number> {
    return countOf(this.fcm.to(token).map(({ message }) => message.data['notification_id']!));
  }
}

function countOf(ids: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const id of ids) counts.set(id, (counts.get(id) ?? 0) + 1);
  return counts;
}
