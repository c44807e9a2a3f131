import { createHash } from 'node:crypto';
import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { Clock } from '../../../common/clock.js';
import { type FcmServiceAccount, SETTINGS, type Settings } from '../../../config/settings.js';
import { fcmMessage } from '../payload.rules.js';
import type { AttemptResponse, OutgoingPush } from '../push-transport.js';
import { readFcmAccount } from './fcm-account.rules.js';
import { FcmClient } from './fcm-client.js';
import { RecordingAgent } from './recording-agent.js';

/** Number of accounts whose access tokens are cached; beyond it, the least recently used is dropped. */
const MAX_CACHED_CLIENTS = 200;

interface OpenClient {
  readonly client: FcmClient;
  inUse: number;
  /** Closed when it is no longer used. */
  dropped: boolean;
}

/** Firebase Cloud Messaging, HTTP v1: with the app's own service account, or with the platform's. */
@Injectable()
export class FcmTransport implements OnApplicationShutdown {
  private readonly agent: RecordingAgent;
  /** By account, the most recently used at the end. A changed account is a new one. */
  private readonly open = new Map<string, OpenClient>();

  constructor(
    @Inject(SETTINGS) private readonly settings: Settings,
    private readonly clock: Clock,
  ) {
    this.agent = new RecordingAgent(settings.fcmEndpoint, clock);
  }

  async send(push: OutgoingPush, token: string, account: FcmServiceAccount | null): Promise<AttemptResponse> {
    const opened = account && this.clientOf(account);
    if (!opened) return { kind: 'not_sent', error: 'not_configured' };
    opened.inUse++;
    try {
      return await opened.client.send(fcmMessage(push, token, this.clock.now()));
    } finally {
      opened.inUse--;
      await disposeUnused(opened);
    }
  }

  async onApplicationShutdown(): Promise<void> {
    this.agent.destroy();
    await Promise.all([...this.open.values()].map(({ client }) => client.dispose()));
    this.open.clear();
  }

  private clientOf(account: FcmServiceAccount): OpenClient | null {
    const { project_id, client_email, private_key, token_uri } = account;
    const identity = JSON.stringify([project_id, client_email, private_key, token_uri]);
    const key = createHash('sha256').update(identity).digest('base64');
    const known = this.open.get(key);
    if (known) {
      this.open.delete(key);
      this.open.set(key, known);
      return known;
    }
    const read = readFcmAccount(account, this.settings.fcmEndpoint);
    if (!read) return null;
    const made = { client: new FcmClient(read, this.agent), inUse: 0, dropped: false };
    this.open.set(key, made);
    if (this.open.size > MAX_CACHED_CLIENTS) this.dropOldest();
    return made;
  }

  private dropOldest(): void {
    const [key] = this.open.keys();
    const oldest = this.open.get(key!)!;
    this.open.delete(key!);
    oldest.dropped = true;
    void disposeUnused(oldest);
  }
}

async function disposeUnused({ client, inUse, dropped }: OpenClient): Promise<void> {
  if (dropped && inUse === 0) await client.dispose();
}
