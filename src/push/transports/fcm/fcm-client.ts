import { randomUUID } from 'node:crypto';
import type { App } from 'firebase-admin/app';
import type { Message, Messaging } from 'firebase-admin/messaging';
import type { AttemptResponse } from '../push-transport.js';
import type { FcmAccount } from './fcm-account.rules.js';
import { AccessTokenRefused, GoogleAccessToken } from './google-access-token.js';
import type { RecordingAgent } from './recording-agent.js';

/** If a token older than this (milliseconds) is rejected, another one is fetched, because it may have been revoked. */
const FRESH = 30_000;

/** Sends with one service account. firebase-admin is loaded on first use, because it is large. */
export class FcmClient {
  private readonly token: GoogleAccessToken;
  private messaging: Promise<Messaging> | null = null;
  private app: App | null = null;

  constructor(
    private readonly account: FcmAccount,
    private readonly agent: RecordingAgent,
    private readonly fresh = FRESH,
  ) {
    this.token = new GoogleAccessToken(account);
  }

  async send(message: Message): Promise<AttemptResponse> {
    try {
      const { fetchedAt } = await this.token.get();
      const answer = await this.exchange(message);
      const isDisbelieved = answer.kind === 'refused' && answer.status === 401;
      if (!isDisbelieved || Date.now() - fetchedAt < this.fresh) return answer;
      this.token.forget();
      await this.token.get();
      return await this.exchange(message);
    } catch (error) {
      if (!(error instanceof AccessTokenRefused)) throw error;
      const { status } = error;
      if (status === null) return { kind: 'unanswered', error: 'connection_failed' };
      if (status < 500 && status !== 429) return { kind: 'not_sent', error: 'unauthorized' };
      return { kind: 'refused', status, retryAfter: null };
    }
  }

  async dispose(): Promise<void> {
    await this.messaging?.catch(() => undefined);
    if (!this.app) return;
    const { deleteApp } = await import('firebase-admin/app');
    await deleteApp(this.app);
  }

  private async exchange(message: Message): Promise<AttemptResponse> {
    const messaging = await (this.messaging ??= this.open());
    const { exchange, error } = await this.agent.watch(() => messaging.send(message));
    if (error === null) return { kind: 'taken' };
    // firebase-admin refused to send it.
    if (exchange.requests === 0) return { kind: 'not_sent', error: 'rejected' };
    const { code } = error as { code?: string };
    if (code === 'messaging/registration-token-not-registered') return { kind: 'gone' };
    const { status, retryAfter, failure } = exchange;
    if (status !== null && status !== 200) return { kind: 'refused', status, retryAfter };
    return { kind: 'unanswered', error: failure === 'ETIMEDOUT' ? 'timeout' : 'connection_failed' };
  }

  private async open(): Promise<Messaging> {
    const { initializeApp } = await import('firebase-admin/app');
    const { getMessaging } = await import('firebase-admin/messaging');
    // Short, so that firebase-admin caches no token and calls this each time.
    const getAccessToken = async () => ({ access_token: (await this.token.get()).token, expires_in: 60 });
    const { projectId } = this.account;
    const options = { credential: { getAccessToken }, projectId, httpAgent: this.agent };
    this.app = initializeApp(options, randomUUID());
    return getMessaging(this.app);
  }
}
