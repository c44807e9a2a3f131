import { Refusal } from '../../common/refusal.js';

export class UnknownProvider extends Refusal {
  constructor() {
    super('not_found', 'Unknown provider');
  }
}

/** The last way into an account cannot be taken away. */
export class LastWayIn extends Refusal {
  constructor() {
    super('conflict', 'Set a password first: this is the only way into the account');
  }
}

export class LinkedAccountNotFound extends Refusal {
  constructor() {
    super('not_found', 'Linked account not found');
  }
}

/** That identity opens another account already. */
export class LinkedElsewhere extends Refusal {
  constructor() {
    super('conflict', 'This account at the provider is linked to another account here');
  }
}

export class InvalidOauthToken extends Refusal {
  constructor() {
    super('bad_request', 'Invalid or expired oauth_token');
  }
}

/** The provider is away, slow, or answers what no check lets pass. Told to nobody but the log. */
export class ProviderFault extends Error {
  constructor(reason: string, cause?: unknown) {
    super(reason, { cause });
    this.name = 'ProviderFault';
  }
}
