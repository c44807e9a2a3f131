import { Inject, Injectable } from '@nestjs/common';
import { OWN_BRAND } from '../../../../common/pages/brand/brand.js';
import { SETTINGS, type Settings } from '../../../../config/settings.js';
import { canHavePasskeys } from './relying-party.rules.js';

/** The relying party of passkeys (WebAuthn, section 4): the host of BASE_URL. */
@Injectable()
export class RelyingParty {
  readonly id: string;
  readonly origin: string;
  readonly name = OWN_BRAND.appName;
  /** What apps on Apple devices say: the host, without a port. */
  readonly nativeOrigins: readonly string[];
  /** Websites of other hosts that browsers let use these passkeys (section 5.11). */
  readonly relatedOrigins: readonly string[];
  /** False if browsers create none for BASE_URL. */
  readonly isUsable: boolean;

  constructor(@Inject(SETTINGS) settings: Settings) {
    const { hostname, origin } = new URL(settings.baseUrl);
    this.id = hostname;
    this.origin = origin;
    this.nativeOrigins = [`https://${hostname}`];
    this.relatedOrigins = settings.passkeyRelatedOrigins;
    this.isUsable = canHavePasskeys(settings.baseUrl);
  }

  /** @param ofApp origins of an app outside the hosted pages; absent: the hosted pages */
  originsOf(ofApp?: readonly string[]): string[] {
    return ofApp ? [...this.nativeOrigins, ...ofApp] : [this.origin];
  }
}
