import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { Agent, type Dispatcher, request } from 'undici';
import { Clock } from '../common/clock.js';
import { SETTINGS, type Settings } from '../config/settings.js';
import { AnswerTooLarge, NoAnswerInTime, TargetRefused } from './outbound.errors.js';
import { guardedConnector } from './guarded-connector.js';
import { Network } from './network.js';
import { OUTBOUND_OPTIONS, type OutboundOptions } from './outbound-options.js';
import { readRetryAfter } from './retry-after.rules.js';
import { judgeTargetUrl } from './target-url.rules.js';

/** Maximum number of bytes that are read of an answer. */
const MAX_BODY_BYTES = 64 * 1024;

export interface OutboundResponse {
  readonly status: number;
  /** Seconds to wait according to `Retry-After`, in either form; null if absent. */
  readonly retryAfter: number | null;
}

export interface FetchLimits {
  readonly timeoutMs: number;
  readonly maxBytes: number;
}

export interface FetchedResponse {
  readonly status: number;
  readonly body: Buffer;
  /** The header value; null if absent. */
  readonly cacheControl: string | null;
  readonly contentType: string | null;
}

/**
 * The only client for URLs that tenants, browsers and operators provide (webhooks, web-push endpoints, logos). Every
 * name is resolved once, the connection is made to a checked address, and redirects are not followed. A POST has 15 s,
 * and 64 KiB of its answer are read and discarded; a GET has limits set by the caller.
 */
@Injectable()
export class OutboundHttp implements OnApplicationShutdown {
  private readonly agent: Agent;
  private readonly allowPrivate: boolean;

  constructor(
    @Inject(SETTINGS) settings: Settings,
    network: Network,
    private readonly clock: Clock,
    @Inject(OUTBOUND_OPTIONS) private readonly options: OutboundOptions,
  ) {
    this.allowPrivate = settings.allowPrivateNetworkTargets;
    // No limit for each origin: tenants share hosts, and a request that waits for a socket would exceed its time. The
    // queues limit what each tenant has in progress; other callers limit their requests.
    this.agent = new Agent({
      connect: guardedConnector(network, this.allowPrivate),
      keepAliveTimeout: 10_000,
      keepAliveMaxTimeout: 60_000,
    });
  }

  /**
   * @throws TargetRefused before anything is sent
   * @throws NoAnswerInTime, Error if there was no answer
   */
  async post(url: string, headers: Readonly<Record<string, string>>, body: string | Buffer): Promise<OutboundResponse> {
    const { postTimeoutMs } = this.options;
    return this.exchange(url, postTimeoutMs, { method: 'POST', headers, body }, async (answer) => {
      await drain(answer.body);
      return {
        status: answer.statusCode,
        retryAfter: readRetryAfter(answer.headers['retry-after'], this.clock.now()),
      };
    });
  }

  /**
   * @throws TargetRefused before anything is sent
   * @throws AnswerTooLarge, NoAnswerInTime, Error if there was no complete answer
   */
  async get(url: string, headers: Readonly<Record<string, string>>, limits: FetchLimits): Promise<FetchedResponse> {
    return this.exchange(url, limits.timeoutMs, { method: 'GET', headers }, async (answer) => ({
      status: answer.statusCode,
      body: await readWhole(answer, limits.maxBytes),
      cacheControl: [answer.headers['cache-control'] ?? null].flat().join(', ') || null,
      contentType: [answer.headers['content-type'] ?? null].flat()[0] ?? null,
    }));
  }

  private async exchange<T>(
    url: string,
    timeoutMs: number,
    what: { method: 'GET' | 'POST'; headers: Readonly<Record<string, string>>; body?: string | Buffer },
    read: (answer: Dispatcher.ResponseData) => Promise<T>,
  ): Promise<T> {
    const fault = judgeTargetUrl(url, this.allowPrivate);
    if (fault) throw new TargetRefused(fault);
    const deadline = new AbortController();
    const timer = setTimeout(() => deadline.abort(new NoAnswerInTime(timeoutMs)), timeoutMs);
    const options = { ...what, headers: { ...what.headers }, dispatcher: this.agent, signal: deadline.signal };
    try {
      return await read(await Promise.race([request(url, options), aborted(deadline.signal)]));
    } finally {
      clearTimeout(timer);
    }
  }

  /**
   * Closes at once: requests in progress are delivered again later, and a slow receiver must not delay the shutdown.
   */
  async onApplicationShutdown(): Promise<void> {
    await this.agent.destroy();
  }
}

/** undici does not check the signal while a request waits for a connection. */
function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true }));
}

/**
 * Reads at most {@link MAX_BODY_BYTES}, so that the connection can be reused. A longer answer, or one that does not end in
 * time, closes it. The status and headers are already complete.
 */
async function drain(body: Dispatcher.ResponseData['body']): Promise<void> {
  let read = 0;
  try {
    for await (const chunk of body as AsyncIterable<Buffer>) {
      read += chunk.length;
      if (read > MAX_BODY_BYTES) return; // leaving the loop destroys the stream, and its socket with it
    }
  } catch {
    // The connection was closed; the rest of the answer is not needed.
  }
}

/** Stops reading beyond the limit, which destroys the stream and its socket. @throws AnswerTooLarge */
async function readWhole({ headers, body }: Dispatcher.ResponseData, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let read = Number(headers['content-length'] ?? 0) > maxBytes ? Infinity : 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    read += chunk.length;
    if (read > maxBytes) throw new AnswerTooLarge(maxBytes);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
