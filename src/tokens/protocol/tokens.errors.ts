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

/** The app requires a verified e-mail address. The same object as at POST /auth/login. */
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
    super('bad_request', 'Send only one form of client authentication', { oauthError: 'invalid_request' });
  }
}

/** The assertion is not sent as in RFC 7521. One that is sent correctly but is invalid gets `invalid_client`. */
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

/** The user has not given this app consent, or has revoked it. */
export class ConsentNotFound extends Refusal {
  constructor() {
    super('not_found', 'Consent not found');
  }
}

/** RFC 8707 section 2: not a resource of the tenant that the app may request, or not the one of the sign-in. */
export class InvalidTarget extends Refusal {
  constructor() {
    super('bad_request', 'invalid_target', { oauthError: 'invalid_target' });
  }
}

/** RFC 7009 section 2.2.1: a client that does not authenticate cannot revoke tokens that other servers receive. */
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

/** A grant that is refused at the OAuth token endpoint, where RFC 6749 requires 400 for any reason. */
export class InvalidGrant extends Refusal {
  constructor(detail: string) {
    super('bad_request', detail, { oauthError: 'invalid_grant' });
  }
}

/** The app is not configured for this grant (RFC 6749 section 5.2). */
export class UnauthorizedClient extends Refusal {
  constructor(detail = 'The device grant is turned off for this app') {
    super('bad_request', detail, { oauthError: 'unauthorized_client' });
  }
}

/** The only error for a faulty request and for a subject token that is not accepted (RFC 8693 section 2.2.2). */
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

/** RFC 8628 section 3.5: the device polls too often, and must wait five seconds longer from now on. */
export class SlowDown extends Refusal {
  constructor() {
    super('bad_request', 'slow_down', { oauthError: 'slow_down' });
  }
}

/** RFC 8628 section 3.5: the user has denied the request, or may no longer sign in. */
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

/** RFC 7009 section 2.1: the token was issued to another client than the one that wants to revoke it. */
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

/** The same text, with a challenge without an error code, because no token was sent (RFC 6750 section 3.1). */
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
