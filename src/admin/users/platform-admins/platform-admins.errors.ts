import { Refusal } from '../../../common/refusal.js';

export class LastPlatformAdmin extends Refusal {
  constructor() {
    super('bad_request', 'The last platform admin cannot be removed');
  }
}

/** An unverified account gains no power: anyone may have made it with that address. */
export class UserNotVerified extends Refusal {
  constructor() {
    super('bad_request', 'User is not verified');
  }
}

/** One's own password asks for the current one, which this route does not. */
export class OwnPasswordElsewhere extends Refusal {
  constructor() {
    super('bad_request', 'Use /admin/me/password for your own password');
  }
}

/** One's own second factor asks for a code of it, which this route does not. */
export class OwnPasskeyElsewhere extends Refusal {
  constructor() {
    super('bad_request', 'Use /account for your own passkeys');
  }
}

export class OwnSecondFactorElsewhere extends Refusal {
  constructor() {
    super('bad_request', 'Use /account/totp/disable for your own second factor');
  }
}

/** A link would lead nowhere. */
export class MemberCannotSignIn extends Refusal {
  constructor(detail: 'User is not active' | 'App is not active') {
    super('conflict', detail);
  }
}

export class EmailAlreadyVerified extends Refusal {
  constructor() {
    super('conflict', 'Email address is already verified');
  }
}
