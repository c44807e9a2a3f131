import { Refusal } from '../../../common/refusal.js';

/** One's own password asks for the current one, which this route does not. */
export class OwnPasswordElsewhere extends Refusal {
  constructor() {
    super('bad_request', 'Use /admin/me/password for your own password');
  }
}

export class OwnPasskeyElsewhere extends Refusal {
  constructor() {
    super('bad_request', 'Use /account for your own passkeys');
  }
}

/** One's own second factor asks for a code of it, which this route does not. */
export class OwnSecondFactorElsewhere extends Refusal {
  constructor() {
    super('bad_request', 'Use /account/totp/disable for your own second factor');
  }
}
