import type { ServiceScope } from './access-marks.js';
import { Refusal, type RefusalExtras } from '../refusal.js';

export class NotAuthenticated extends Refusal {
  constructor(detail = 'Not authenticated', extras: RefusalExtras = { challenge: {} }) {
    super('unauthenticated', detail, extras);
  }
}

export class InsufficientPermissions extends Refusal {
  constructor() {
    super('forbidden', 'Insufficient permissions', { challenge: { error: 'insufficient_scope' } });
  }
}

export class MissingRequiredScope extends Refusal {
  /** @param scope that is required; null: no scope is enough */
  constructor(scope: ServiceScope | null) {
    const challenge = { error: 'insufficient_scope', ...(scope ? { scope } : {}) } as const;
    super('forbidden', 'Missing required scope', { challenge });
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
