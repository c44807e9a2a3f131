import { Injectable } from '@nestjs/common';
import { AnswerTooLarge, TargetRefused } from '../../outbound/outbound.errors.js';
import { OutboundHttp } from '../../outbound/outbound-http.js';
import type { App } from '../app/app.entity.js';
import { LogoImages, MAX_LOGO_BYTES, type PictureSender } from './logo-images.js';
import { NoLogoThere } from './logo.errors.js';
import { UnsupportedImageType } from './logo.errors.js';

const HEADERS = { accept: 'image/png,image/jpeg,image/svg+xml' };
const LIMITS = { timeoutMs: 15_000, maxBytes: MAX_LOGO_BYTES };

/**
 * Fetches the picture at an address that a tenant has chosen through the guarded HTTP client, and processes it like an
 * upload.
 */
@Injectable()
export class LogoSource {
  constructor(
    private readonly http: OutboundHttp,
    private readonly images: LogoImages,
  ) {}

  /**
   * @param app whose logo it is
   * @returns a `data:image/png` URI
   * @throws NoLogoThere if a retry cannot succeed; other errors may be temporary
   */
  async read(app: App, address: string): Promise<string> {
    try {
      const { status, body } = await this.http.get(address, HEADERS, LIMITS);
      if (status >= 500 || status === 408 || status === 429) throw new Error(`Status ${status}`);
      if (status !== 200) throw new NoLogoThere(`Status ${status}`);
      return await this.images.normalize(itself(app), body);
    } catch (error) {
      const isFinal = [TargetRefused, AnswerTooLarge, UnsupportedImageType].some((kind) => error instanceof kind);
      throw isFinal ? new NoLogoThere((error as Error).message) : error;
    }
  }
}

/** As if the app had sent it: what it costs counts for the app. */
function itself({ id, tenantId }: App): PictureSender {
  return { actor: { type: 'service', appId: id, tenantId, scopes: new Set() }, tenantId, appId: id };
}
