import { setTimeout as sleep } from 'node:timers/promises';
import { fcmToken, type PushApp, pushApp, registerDevice, send } from '../support/push.js';
import type { FcmServer } from '../support/servers/fcm-server.js';
import type { PushService } from '../support/servers/push-service.js';
import { eventually } from '../support/wait.js';
import { type TestUser, type World } from '../support/world.js';
import type { Journal } from './journal.js';

const BETWEEN_MS = 200;

/** An app that sends to one user, who has a phone and a browser. */
export interface Sender {
  readonly name: string;
  readonly app: PushApp;
  readonly user: TestUser;
  readonly phone: string;
  /** Id of the subscription. */
  readonly browser: string;
  /** Of the notifications that were acknowledged. */
  readonly sent: string[];
}

interface Peers {
  readonly fcm: FcmServer;
  readonly browsers: PushService;
}

/** Apps that send notifications, each one request after the other. */
export class PushTraffic {
  slowestMs = 0;
  readonly failures: string[] = [];
  private isOver = false;
  private loops: Promise<void>[] = [];

  private constructor(
    private readonly world: World,
    private readonly journal: Journal,
    readonly senders: readonly Sender[],
  ) {}

  /** @param webhookUrl where an app wants to hear of deliveries, by its name */
  static async begin(
    world: World,
    peers: Peers,
    journal: Journal,
    names: readonly string[],
    webhookUrl?: (name: string) => string,
  ): Promise<PushTraffic> {
    const senders: Sender[] = [];
    for (const name of names) senders.push(await sender(world, peers, name, webhookUrl?.(name)));
    const traffic = new PushTraffic(world, journal, senders);
    traffic.loops = senders.map((each) => traffic.loop(each));
    return traffic;
  }

  of(name: string): Sender {
    return this.senders.find((each) => each.name === name)!;
  }

  async end(): Promise<void> {
    this.isOver = true;
    await Promise.all(this.loops);
  }

  /** Until every acknowledged notification has ended. @returns a sentence if that does not come to pass */
  async settled(within: number): Promise<string[]> {
    const ids = this.senders.flatMap(({ sent }) => sent);
    const open = async (): Promise<number> => {
      const text = 'SELECT count(*)::int AS count FROM notifications WHERE id = ANY ($1) AND completed_at IS NULL';
      return (await this.world.sql<{ count: number }>(text, [ids]))[0]!.count;
    };
    const ended = eventually('all notifications have ended', async () => (await open()) === 0, { within, every: 500 });
    return ended.then(
      () => [],
      async () => [`${await open()} notifications have not ended`],
    );
  }

  /** Quotas that count other than what was acknowledged. */
  async quotas(): Promise<string[]> {
    const broken: string[] = [];
    for (const { name, app, sent } of this.senders) {
      const rows = await this.world.sql<{ used: number }>('SELECT used FROM push_usage WHERE app_id = $1', [app.id]);
      const used = rows.reduce((sum, row) => sum + row.used, 0);
      if (used !== sent.length) broken.push(`${name}: the quota counts ${used} of ${sent.length} notifications`);
    }
    return broken;
  }

  /** From the acknowledgement to the last device, of an app. @returns the 95th percentile in milliseconds */
  async deliveryMs({ app }: Sender, from: Date, until: Date): Promise<number> {
    const [row] = await this.world.sql<{ ms: number | null }>(
      `SELECT percentile_cont(0.95) WITHIN GROUP (ORDER BY extract(epoch FROM completed_at - created_at) * 1000)::float8 AS ms
       FROM notifications WHERE app_id = $1 AND created_at BETWEEN $2 AND $3`,
      [app.id, from, until],
    );
    return row!.ms ?? 0;
  }

  private async loop({ app, user, sent, name }: Sender): Promise<void> {
    while (!this.isOver) {
      const begun = performance.now();
      const body = { user_id: user.id, title: 'Hello', body: 'World' };
      const answer = await send<{ notification_id: string }>(this.world, app, '', body).catch((error: Error) => error);
      this.slowestMs = Math.max(this.slowestMs, performance.now() - begun);
      if (answer instanceof Error || answer.status !== 200) {
        this.failures.push(`${name}: ${answer instanceof Error ? answer.message : answer.status}`);
      } else {
        const id = answer.body.notification_id;
        this.journal.write({ kind: 'notification', id });
        sent.push(id);
      }
      await sleep(BETWEEN_MS);
    }
  }
}

async function sender(world: World, { fcm, browsers }: Peers, name: string, webhookUrl?: string): Promise<Sender> {
  const app = await pushApp(world, {
    fcm_service_account: fcm.account(),
    ...(webhookUrl && { webhook_url: webhookUrl }),
  });
  const user = await world.user(app);
  const [phone, browser] = [fcmToken(), browsers.subscribe()];
  await registerDevice(world, app, user, { push_token: phone });
  await registerDevice(world, app, user, { platform: 'web', push_token: browser.token });
  return { name, app, user, phone, browser: browser.id, sent: [] };
}
