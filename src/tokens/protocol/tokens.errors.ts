import { BOTH_SCHEMES } from '../../common/http/token-challenge.js';
import { Refusal } from '../../common/refusal.js';

export class InvalidRefreshToken extends Refusal {
  constructor() {
    super('unauthenticated', 'Invalid or expired refresh token', { oauthError: 'invalid_grant' });
  }
}

export class ForeignRefreshToken extends Refusal {
  constructor() {
    super('unauthenticated', 'Token does not belong to this app', { oauthError: 'invalid_grant' });
  }
}

export class AccountSuspended extends Refusal {
  constructor() {
    super('forbidden', 'Account suspended', { oauthError: 'invalid_grant' });
  }
}

/** The app wants a proven e-mail address. The same object as at POST /auth/login. */
export class EmailNotVerified extends Refusal {
  constructor() {
    super('forbidden', { error: 'email_not_verified' }, { oauthError: 'invalid_grant' });
  }
}

export class InvalidCode extends Refusal {
  constructor() {
    super('bad_request', 'Invalid or expired code', { oauthError: 'invalid_grant' });
  }
}

export class InvalidCodeVerifier extends Refusal {
  constructor() {
    super('bad_request', 'Invalid code_verifier', { oauthError: 'invalid_grant' });
  }
}

export class InvalidClient extends Refusal {
  constructor() {
    super('unauthenticated', 'invalid_client', { oauthError: 'invalid_client', challenge: 'Basic realm="token"' });
  }
}

/** RFC 6749 sections 2.3 and 5.2: a request that authenticates its client in several ways is malformed. */
export class SeveralClientMethods extends Refusal {
  constructor() {
    super('bad_request', 'Use one way to authenticate the client only', { oauthError: 'invalid_request' });
  }
}

/** Not how RFC 7521 says that an assertion is sent; one that proves nothing is `invalid_client`. */
export class InvalidClientAssertion extends Refusal {
  constructor(detail: string) {
    super('bad_request', detail, { oauthError: 'invalid_request' });
  }
}

export class InvalidScope extends Refusal {
  constructor(scope: string) {
    super('bad_request', `invalid_scope: ${scope}`, { oauthError: 'invalid_scope' });
  }
}

/** There is none of this user for this app, or not any more. */
export class ConsentNotFound extends Refusal {
  constructor() {
    super('not_found', 'Consent not found');
  }
}

/** RFC 8707 section 2: no resource of the tenant's that the app may ask for, or another one than the sign-in was for. */
export class InvalidTarget extends Refusal {
  constructor() {
    super('bad_request', 'invalid_target', { oauthError: 'invalid_target' });
  }
}

/** RFC 7009 section 2.2.1: of those that other servers receive, a client that does not authenticate can end none. */
export class UnsupportedTokenType extends Refusal {
  constructor() {
    super('bad_request', 'unsupported_token_type', { oauthError: 'unsupported_token_type' });
  }
}

export class UnsupportedGrantType extends Refusal {
  constructor() {
    super('bad_request', 'unsupported_grant_type', { oauthError: 'unsupported_grant_type' });
  }
}

/** A grant refused at the OAuth token endpoint, where RFC 6749 wants 400 whatever the reason. */
export class InvalidGrant extends Refusal {
  constructor(detail: string) {
    super('bad_request', detail, { oauthError: 'invalid_grant' });
  }
}

/** The app has not been set up for this grant (RFC 6749 section 5.2). */
export class UnauthorizedClient extends Refusal {
  constructor(detail = 'The device grant is switched off for this app') {
    super('bad_request', detail, { oauthError: 'unauthorized_client' });
  }
}

/** The one error for a faulty request and for a subject token that is not accepted (RFC 8693 section 2.2.2). */
export class ExchangeRefused extends Refusal {
  constructor(detail: string) {
    super('bad_request', detail, { oauthError: 'invalid_request' });
  }
}

/** RFC 8628 section 3.5: the user has not answered. */
export class AuthorizationPending extends Refusal {
  constructor() {
    super('bad_request', 'authorization_pending', { oauthError: 'authorization_pending' });
  }
}

/** RFC 8628 section 3.5: the device polls too often, and waits five seconds longer from now on. */
export class SlowDown extends Refusal {
  constructor() {
    super('bad_request', 'slow_down', { oauthError: 'slow_down' });
  }
}

/** RFC 8628 section 3.5: the user said no, or may not sign in any more. */
export class DeviceSignInDenied extends Refusal {
  constructor() {
    super('bad_request', 'access_denied', { oauthError: 'access_denied' });
  }
}

/** RFC 8628 section 3.5. */
export class DeviceCodeExpired extends Refusal {
  constructor() {
    super('bad_request', 'expired_token', { oauthError: 'expired_token' });
  }
}

/** RFC 7009 section 2.1: the token was issued to another user than the client that wants it revoked. */
export class TokenOfAnotherClient extends Refusal {
  constructor() {
    super('bad_request', 'Token does not belong to this app', { oauthError: 'invalid_grant' });
  }
}

export class InvalidToken extends Refusal {
  constructor() {
    super('unauthenticated', 'Invalid token', {
      oauthError: 'invalid_token',
      challenge: {},
    });
  }
}

/** The same text, but a challenge without an error code: no token was sent (RFC 6750 section 3.1). */
export class TokenMissing extends Refusal {
  constructor() {
    super('unauthenticated', 'Invalid token', { oauthError: 'invalid_token', challenge: BOTH_SCHEMES });
  }
}

export class UserTokenRequired extends Refusal {
  constructor() {
    super('forbidden', 'Insufficient permissions', {
      oauthError: 'insufficient_scope',
      challenge: { error: 'insufficient_scope' },
    });
  }
}
