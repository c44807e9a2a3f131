import { Refusal } from '../../../../common/refusal.js';

/** Why an answer is refused. The client only gets `unknown_credential`, so that the device can delete the passkey. */
export type PasskeyFault = 'malformed' | 'challenge' | 'unknown_credential' | 'not_verified' | 'counter';

/** An authenticator's answer that is not valid. */
export class InvalidPasskey extends Refusal {
  /** @param unknownId of a passkey that does not exist (any more) */
  constructor(
    readonly fault: PasskeyFault,
    readonly unknownId: Buffer | null = null,
  ) {
    super('unauthenticated', 'Invalid passkey');
  }
}

export class PasskeyAlreadyAdded extends Refusal {
  constructor() {
    super('conflict', 'Passkey already added');
  }
}

/** One of the user's tenants accepts only other models. */
export class PasskeyModelNotAccepted extends Refusal {
  constructor() {
    super('conflict', 'Passkey model not accepted. Use an authenticator that the tenant allows');
  }
}

export class TooManyPasskeys extends Refusal {
  constructor() {
    super('conflict', 'Too many passkeys. Remove one first');
  }
}

/** Also for passkeys of other users. */
export class PasskeyNotFound extends Refusal {
  constructor() {
    super('not_found', 'Passkey not found');
  }
}
