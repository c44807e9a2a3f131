import { Inject, Injectable, Logger } from '@nestjs/common';
import { BoundedMap } from '../../common/bounded-map.js';
import { SETTINGS, type Settings } from '../../config/settings.js';
import { Clock } from '../../common/clock.js';
import type { RequestContext } from '../../common/request-context.js';
import { OutboundHttp } from '../../outbound/outbound-http.js';
import { clientAddressKey } from '../../rate-limits/client-address.js';
import { RateLimitsService } from '../../rate-limits/rate-limits.service.js';
import { type ClientDocument, isJson, readDocument, secondsToKeep } from './client-document.rules.js';

const HEADERS = { accept: 'application/json' };
/** A sign-in waits for the document. The draft suggests a maximum of 5 KB. */
const LIMITS = { timeoutMs: 3_000, maxBytes: 5 * 1024 };

/** Time before a document that failed is fetched again. */
const FAILED_MS = 60_000;
const MAX_CACHED_FAILURES = 1_000;

export interface PublishedDocument {
  readonly document: ClientDocument;
  /** Seconds for which the document counts as current. */
  readonly keepFor: number;
}

/**
 * Fetches metadata documents of clients through the guarded HTTP client: no redirects, no private addresses. Any caller
 * can name a URL, so requests are counted by the network address of the caller: one at a time per document, and none
 * for a minute after a failure.
 */
@Injectable()
export class PublishedDocuments {
  private readonly logger = new Logger(PublishedDocuments.name);
  private readonly underWay = new Map<string, Promise<PublishedDocument | null>>();
  /** Time until which it is not fetched again, in Unix milliseconds. */
  private readonly failed = new BoundedMap<string, number>(MAX_CACHED_FAILURES);

  constructor(
    private readonly http: OutboundHttp,
    private readonly limits: RateLimitsService,
    private readonly clock: Clock,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  /**
   * @returns null if there is no document, or no valid one
   * @throws RateLimited
   */
  async fetch({ ip }: RequestContext, url: string): Promise<PublishedDocument | null> {
    if ((this.failed.get(url) ?? 0) > this.clock.now().getTime()) return null;
    const known = this.underWay.get(url);
    if (known) return known;
    await this.limits.consume('client_documents', clientAddressKey(ip));
    const pending = this.underWay.get(url) ?? this.request(url).finally(() => this.underWay.delete(url));
    this.underWay.set(url, pending);
    const published = await pending;
    if (!published) this.failed.set(url, this.clock.now().getTime() + FAILED_MS);
    return published;
  }

  private async request(url: string): Promise<PublishedDocument | null> {
    try {
      const { status, body, cacheControl, contentType } = await this.http.get(url, HEADERS, LIMITS);
      const parsed: unknown = status === 200 && isJson(contentType) ? JSON.parse(body.toString('utf8')) : null;
      const document = readDocument(parsed, url, this.settings.baseUrl);
      if (document) return { document, keepFor: secondsToKeep(cacheControl) };
      this.logger.warn(`No client document at ${url}: status ${status}, ${contentType}`);
    } catch (error) {
      this.logger.warn(`The client document at ${url} could not be read: ${(error as Error).message}`);
    }
    return null;
  }
}
