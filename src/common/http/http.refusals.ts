import { Refusal, type RefusalExtras } from '../refusal.js';

export class NotAuthenticated extends Refusal {
  constructor(detail = 'Not authenticated', extras: RefusalExtras = { challenge: 'Bearer' }) {
    super('unauthenticated', detail, extras);
  }
}

export class InsufficientPermissions extends Refusal {
  constructor() {
    super('forbidden', 'Insufficient permissions');
  }
}

export class MissingRequiredScope extends Refusal {
  constructor() {
    super('forbidden', 'Missing required scope');
  }
}

export class CrossSiteRequest extends Refusal {
  constructor() {
    super('forbidden', 'Cross-site request refused');
  }
}

export class UnsupportedMediaType extends Refusal {
  constructor() {
    super('unsupported_media_type', 'Unsupported Media Type');
  }
}

export class ServiceUnavailable extends Refusal {
  constructor(detail: string, retryAfterSeconds: number) {
    super('unavailable', detail, { retryAfter: retryAfterSeconds });
  }
}
