import { Injectable, Logger } from '@nestjs/common';
import { BoundedMap } from '../../common/bounded-map.js';
import { type ClientKey, type ClientKeySet, keysFor, readPublishedKeySet } from '../../apps/app/client-keys.rules.js';
import { Clock } from '../../common/clock.js';
import { OutboundHttp } from '../../outbound/outbound-http.js';
import { areUsable, isDue, type FetchTimes } from './published-keys.rules.js';

const HEADERS = { accept: 'application/jwk-set+json, application/json' };
/** Limits are tight, because a request waits for the answer. */
const LIMITS = { timeoutMs: 3_000, maxBytes: 64 * 1024 };
/** Number of URLs whose keys are cached. */
const MAX_CACHED_URLS = 1_000;

interface Remembered extends FetchTimes {
  readonly keySet: ClientKeySet;
}

const NOTHING: ClientKeySet = { keys: [] };

/**
 * The keys that apps publish at their `jwks_uri`, cached in the process. A tenant chooses the URL, so it is requested
 * through the guarded HTTP client: one request at a time per URL, and not more often than the rules allow.
 */
@Injectable()
export class PublishedKeys {
  private readonly logger = new Logger(PublishedKeys.name);
  private readonly remembered = new BoundedMap<string, Remembered>(MAX_CACHED_URLS);
  private readonly underWay = new Map<string, Promise<Remembered>>();

  constructor(
    private readonly http: OutboundHttp,
    private readonly clock: Clock,
  ) {}

  /** See {@link keysFor}. None also if the URL has not answered within the last hour. */
  async find(uri: string, header: { readonly kid?: unknown; readonly alg: string }): Promise<readonly ClientKey[]> {
    const known = this.remembered.get(uri);
    const now = this.clock.seconds();
    const mustFetch = !known || isDue(known, keysFor(known.keySet, header).length > 0, now);
    const current = mustFetch ? await this.askOnce(uri) : known;
    return areUsable(current, now) ? keysFor(current.keySet, header) : [];
  }

  private askOnce(uri: string): Promise<Remembered> {
    const pending = this.underWay.get(uri) ?? this.ask(uri).finally(() => this.underWay.delete(uri));
    this.underWay.set(uri, pending);
    return pending;
  }

  private async ask(uri: string): Promise<Remembered> {
    const before = this.remembered.get(uri);
    const keySet = await this.request(uri);
    const fetchedAt = this.clock.seconds();
    const answer = keySet
      ? { keySet, fetchedAt, answeredAt: fetchedAt }
      : { keySet: before?.keySet ?? NOTHING, fetchedAt, answeredAt: before?.answeredAt ?? null };
    this.remembered.set(uri, answer);
    return answer;
  }

  private async request(uri: string): Promise<ClientKeySet | null> {
    try {
      const { status, body } = await this.http.get(uri, HEADERS, LIMITS);
      const keySet = status === 200 ? readPublishedKeySet(JSON.parse(body.toString('utf8'))) : null;
      if (!keySet) this.logger.warn(`No key set at ${uri}: status ${status}`);
      return keySet;
    } catch (error) {
      this.logger.warn(`The keys at ${uri} could not be read: ${(error as Error).message}`);
      return null;
    }
  }
}
