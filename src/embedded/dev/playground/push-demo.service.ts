import { Injectable } from '@nestjs/common';
import { decodeJwt } from 'jose';
import type { App } from '../../../apps/app/app.entity.js';
import { systemContext } from '../../../common/request-context.js';
import { SendService } from '../../../push/notifications/sending/send.service.js';
import { PushSettingsService } from '../../../push/settings/push-settings.service.js';
import { DemoData } from './demo-data.js';
import { PlaygroundService } from './playground.service.js';

/** The server of the demo app for web push: reads the VAPID key, and sends. */
@Injectable()
export class PushDemoService {
  constructor(
    private readonly demo: DemoData,
    private readonly playground: PlaygroundService,
    private readonly settings: PushSettingsService,
    private readonly sending: SendService,
  ) {}

  /** The demo app with push enabled. */
  async ensureApp(): Promise<{ app: App; vapidKey: string }> {
    const app = await this.demo.ensureApp();
    const known = app.pushEnabled ? await this.settings.of(app) : null;
    const open = known ?? (await this.settings.update(systemContext('demo'), app.id, { enabled: true }));
    return { app, vapidKey: open.vapid!.publicKey };
  }

  get redirectUri(): string {
    return this.demo.pushRedirectUri;
  }

  /** @returns an access token, or null if the code is invalid or expired */
  async signIn(code: string): Promise<string | null> {
    const { tokens } = await this.playground.exchange(code, null, this.demo.pushRedirectUri);
    return tokens?.accessToken ?? null;
  }

  /**
   * Sends a notification to the user of the token. @returns the notification's id; null if the token is invalid or
   * expired
   */
  async notify(accessToken: string): Promise<string | null> {
    const { status } = await this.playground.userinfo(accessToken);
    const { app } = await this.ensureApp();
    const { sub, aud } = status === 200 ? decodeJwt(accessToken) : {};
    if (!sub || aud !== app.id) return null;
    const actor = { type: 'service', appId: app.id, tenantId: app.tenantId, scopes: new Set(['push:send']) } as const;
    const [id] = await this.sending.send(
      { ...systemContext('demo'), actor },
      {
        userIds: [sub],
        messages: [{ title: 'Hello from the demo app', body: 'It works.', data: { from_demo: true }, ttl: 600 }],
        isList: false,
        idempotencyKey: null,
        request: null,
      },
    );
    return id ?? null;
  }
}
