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

/** For a password that confirms a change by a user who is already identified by a token. */
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

/** The app has stopped taking it since the sign-in began. */
export class SignInMethodNotAllowed extends Refusal {
  constructor() {
    super('forbidden', 'Sign-in method not allowed');
  }
}

export class SecondFactorRequired extends Refusal {
  /** @param setupToken bearer for /account/totp/setup and /confirm, or null for who must sign in to set one up */
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

/** "This was not me" takes away no platform admin. */
export class AccountAdministers extends Refusal {
  constructor() {
    super('conflict', 'The account administers the platform');
  }
}

/** The last sign-in was too long ago. To a request with a token, the challenge says how recent it must be (RFC 9470). */
export class ReauthenticationRequired extends Refusal {
  /**
   * @param maxAge seconds
   * @param accountUrl where users do it instead, because no new sign-in at the app would do; then there is no challenge
   */
  constructor(maxAge: number, accountUrl: string | null = null) {
    const error = 'reauthentication_required';
    const challenge = { error: 'insufficient_user_authentication', maxAge } as const;
    if (accountUrl === null) super('forbidden', { error }, { challenge });
    else super('forbidden', { error, message: ON_ACCOUNT_PAGE, account_url: accountUrl });
  }
}

const ON_ACCOUNT_PAGE =
  'A new sign-in at this app does not help, because the app takes neither the user’s password nor a passkey. Open the account page.';
