import { Refusal } from '../../common/refusal.js';

export class InvalidAppId extends Refusal {
  constructor() {
    super('bad_request', 'Invalid app_id');
  }
}

export class PasswordLoginNotEnabled extends Refusal {
  constructor() {
    super('bad_request', 'Password login not enabled');
  }
}

export class InvalidCredentials extends Refusal {
  constructor() {
    super('unauthenticated', 'Invalid email or password');
  }
}

/** For a wrong password that a signed-in user enters to confirm a change of sign-in methods. */
export class PasswordNotConfirmed extends Refusal {
  constructor() {
    super('unauthenticated', 'Invalid credentials');
  }
}

export class PasswordRequired extends Refusal {
  constructor() {
    super('bad_request', 'Password required');
  }
}

export class NoAccess extends Refusal {
  constructor() {
    super('forbidden', 'You do not have access');
  }
}

export class AccountSuspendedForApp extends Refusal {
  constructor() {
    super('forbidden', 'Account suspended');
  }
}

/** The app does not allow the method of the sign-in, or no longer does when the sign-in ends. */
export class SignInMethodNotAllowed extends Refusal {
  constructor() {
    super('forbidden', 'Sign-in method not allowed');
  }
}

export class SecondFactorRequired extends Refusal {
  /**
   * @param setupToken bearer token for /account/totp/setup and /account/totp/confirm; null: the request cannot set up a
   *   second factor, the user must sign in for that
   */
  constructor(setupToken: string | null) {
    super('forbidden', { error: '2fa_required', ...(setupToken && { setup_token: setupToken }) });
  }
}

export class InviteCodeRequired extends Refusal {
  constructor() {
    super('bad_request', 'This app requires an invite code');
  }
}

export class AccountAlreadyExists extends Refusal {
  constructor() {
    super('bad_request', 'Account already exists');
  }
}

export class InvalidLink extends Refusal {
  constructor() {
    super('bad_request', 'Invalid or expired token');
  }
}

/** "No, remove this account" does not delete the account of a platform admin. */
export class AccountAdministers extends Refusal {
  constructor() {
    super('conflict', 'Platform admins cannot be removed here. Ask another platform admin');
  }
}
