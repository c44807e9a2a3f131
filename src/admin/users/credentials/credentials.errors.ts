import { Refusal } from '../../../common/refusal.js';

/** Changing your own password requires the current one, which this route does not ask for. */
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

/** Removing your own second factor requires a code, which this route does not ask for. */
export class OwnSecondFactorElsewhere extends Refusal {
  constructor() {
    super('bad_request', 'Use /account/totp/disable for your own second factor');
  }
}
