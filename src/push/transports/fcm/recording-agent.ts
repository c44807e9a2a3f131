import { AsyncLocalStorage } from 'node:async_hooks';
import type { ClientRequest, IncomingMessage } from 'node:http';
import https from 'node:https';
import net from 'node:net';
import tls from 'node:tls';
import type { Clock } from '../../../common/clock.js';
import { readRetryAfter } from '../../../outbound/retry-after.rules.js';

/** Limit of one exchange (milliseconds). firebase-admin's own limit of 15 s starts again with every byte. */
const TIMEOUT_MS = 20_000;

/** What was received for one call. */
export interface Exchange {
  /** HTTP; null if there was no answer. */
  status: number | null;
  /** Seconds, from `Retry-After` in either form. */
  retryAfter: number | null;
  /** Code of the connection's error. */
  failure: string | null;
  requests: number;
}

interface WatchedCall {
  readonly exchange: Exchange;
  request: ClientRequest | null;
}

/**
 * The agent of firebase-admin, whose errors contain neither the status nor Retry-After, and which repeats some requests
 * itself within seconds, without the service's rules for retries. This agent records the answer, allows one request per
 * call, and connects to FCM_ENDPOINT if it is set.
 */
export class RecordingAgent extends https.Agent {
  private readonly calls = new AsyncLocalStorage<WatchedCall>();
  private running = 0;

  /** @param endpoint replaces the host that firebase-admin uses; http or https */
  constructor(
    private readonly endpoint: string | null,
    private readonly clock: Clock,
  ) {
    // The queues limit concurrency: a request that waits here for a socket would exceed its time.
    super({ keepAlive: true, maxFreeSockets: 32 });
  }

  /** Runs a call that makes one request through this agent. @returns its answer and its error, if it threw */
  async watch(call: () => Promise<unknown>): Promise<{ exchange: Exchange; error: unknown }> {
    const exchange: Exchange = { status: null, retryAfter: null, failure: null, requests: 0 };
    const watched: WatchedCall = { exchange, request: null };
    const late = (): void => {
      exchange.failure ??= 'ETIMEDOUT';
      watched.request?.destroy();
    };
    const timer = setTimeout(late, TIMEOUT_MS);
    this.running++;
    try {
      await this.calls.run(watched, call);
      return { exchange, error: null };
    } catch (error) {
      return { exchange, error };
    } finally {
      clearTimeout(timer);
      // While the storage is in use, Node 20 calls into JavaScript for every promise of the process.
      if (--this.running === 0) this.calls.disable();
    }
  }

  /** Called by `ClientRequest` for each request. */
  addRequest(request: ClientRequest, options: object): void {
    const call = this.calls.getStore();
    if (call && ++call.exchange.requests > 1) {
      process.nextTick(() => request.emit('error', new Error('Trying again is decided elsewhere')));
      return;
    }
    if (call) watchRequest(request, call, () => this.clock.now());
    HTTPS_AGENT.addRequest.call(this, request, options);
  }

  override createConnection(...args: Parameters<https.Agent['createConnection']>) {
    if (!this.endpoint) return super.createConnection(...args);
    const { protocol, hostname, port } = new URL(this.endpoint);
    const host = hostname.replace(/^\[|\]$/g, '');
    return protocol === 'http:'
      ? net.connect({ host, port: Number(port || 80) })
      : tls.connect({ host, port: Number(port || 443), servername: net.isIP(host) ? undefined : host });
  }
}

/** Missing in Node's types, but requests call it, and other agents override it. */
const HTTPS_AGENT = https.Agent.prototype as unknown as { addRequest(request: ClientRequest, options: object): void };

function watchRequest(request: ClientRequest, call: WatchedCall, now: () => Date): void {
  const { exchange } = call;
  call.request = request;
  request.prependOnceListener('response', (response: IncomingMessage) => {
    exchange.status = response.statusCode ?? null;
    exchange.retryAfter = readRetryAfter(response.headers['retry-after'], now());
    // Otherwise firebase-admin would wait for that long before its second request.
    delete response.headers['retry-after'];
  });
  request.prependOnceListener('timeout', () => (exchange.failure ??= 'ETIMEDOUT'));
  request.prependOnceListener('error', (error: NodeJS.ErrnoException) => (exchange.failure ??= error.code ?? 'error'));
}
