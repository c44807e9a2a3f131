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
