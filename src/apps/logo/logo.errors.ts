import { Refusal } from '../../common/refusal.js';

export class LogoTooLarge extends Refusal {
  constructor() {
    super('too_large', 'Logo too large');
  }
}

export class UnsupportedImageType extends Refusal {
  constructor() {
    super('bad_request', 'Unsupported image type');
  }
}

/** The address has no usable image, or the service must not call it. */
export class NoLogoThere extends Error {
  override readonly name = 'NoLogoThere';
}
