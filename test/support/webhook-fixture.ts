import type { Settings } from '../../src/config/settings.js';
import { startTestApp, type TestApp, type TestAppOptions } from './test-app.js';
import { freshDatabase } from './test-database.js';
import { WebhookReceiver } from './webhook-receiver.js';
import { type WebhookApp, webhookApp } from './webhooks.js';
import { unique, World } from './world.js';

/** A service that sends webhooks, with its own database: no other test's service takes its messages. */
export class WebhookFixture {
  private constructor(
    readonly service: TestApp,
    readonly world: World,
    readonly receiver: WebhookReceiver,
    private readonly drop: () => Promise<void>,
  ) {}

  static async open(settings: Partial<Settings> = {}, override?: TestAppOptions['override']): Promise<WebhookFixture> {
    const [database, receiver] = await Promise.all([freshDatabase(), WebhookReceiver.start()]);
    const service = await startTestApp({
      settings: { databaseUrl: database.url, allowPrivateNetworkTargets: true, ...settings },
      override,
    });
    const world = await World.open(service.baseUrl, database.url);
    return new WebhookFixture(service, world, receiver, () => database.drop());
  }

  /** With a webhook at its own path. */
  async app(): Promise<WebhookApp & { readonly path: string }> {
    const path = `/${unique()}`;
    return { ...(await webhookApp(this.world, this.receiver.url(path))), path };
  }

  async close(): Promise<void> {
    await this.world.close();
    await this.service.close();
    await this.receiver.close();
    await this.drop();
  }
}
