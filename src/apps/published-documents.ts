import { Inject, Injectable, Logger } from '@nestjs/common';
import { SETTINGS, type Settings } from '../config/settings.js';
import { OutboundHttp } from '../outbound/outbound-http.js';
import { type ClientDocument, readDocument, secondsToKeep } from './client-document.rules.js';

const HEADERS = { accept: 'application/json' };
/** A sign-in waits for it. The draft says 5 KB. */
const LIMITS = { timeoutMs: 3_000, maxBytes: 5 * 1024 };

export interface PublishedDocument {
  readonly document: ClientDocument;
  /** Seconds for which it counts. */
  readonly keepFor: number;
}

/** Documents of clients, through the guarded client: no redirects, no private addresses. One request at a time for each. */
@Injectable()
export class PublishedDocuments {
  private readonly logger = new Logger(PublishedDocuments.name);
  private readonly underWay = new Map<string, Promise<PublishedDocument | null>>();

  constructor(
    private readonly http: OutboundHttp,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  /** Null where there is none, or none that can be taken. */
  fetch(url: string): Promise<PublishedDocument | null> {
    const asked = this.underWay.get(url) ?? this.request(url).finally(() => this.underWay.delete(url));
    this.underWay.set(url, asked);
    return asked;
  }

  private async request(url: string): Promise<PublishedDocument | null> {
    try {
      const { status, body, cacheControl } = await this.http.get(url, HEADERS, LIMITS);
      const parsed: unknown = status === 200 ? JSON.parse(body.toString('utf8')) : null;
      const document = readDocument(parsed, url, this.settings.baseUrl);
      if (document) return { document, keepFor: secondsToKeep(cacheControl) };
      this.logger.warn(`No client document at ${url}: status ${status}`);
    } catch (error) {
      this.logger.warn(`The client document at ${url} could not be read: ${(error as Error).message}`);
    }
    return null;
  }
}
