import { isIP } from 'node:net';
import { Inject, Injectable } from '@nestjs/common';
import { OWN_BRAND } from '../../../common/pages/brand.js';
import { SETTINGS, type Settings } from '../../../config/settings.js';

/** Who passkeys are made for (WebAuthn, section 4): the host of BASE_URL. */
@Injectable()
export class RelyingParty {
  readonly id: string;
  readonly origin: string;
  readonly name = OWN_BRAND.appName;
  /** Browsers make passkeys for names only, not for addresses, and only where the connection is secure. */
  readonly isUsable: boolean;

  constructor(@Inject(SETTINGS) settings: Settings) {
    const { hostname, origin, protocol } = new URL(settings.baseUrl);
    this.id = hostname;
    this.origin = origin;
    const isName = isIP(hostname) === 0 && !hostname.startsWith('[');
    this.isUsable = isName && (protocol === 'https:' || hostname === 'localhost' || hostname.endsWith('.localhost'));
  }
}
