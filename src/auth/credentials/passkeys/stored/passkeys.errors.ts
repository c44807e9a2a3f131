import { Refusal } from '../../../../common/refusal.js';

/** Why an answer is refused. The client learns only `unknown_credential`, so that the device can delete the passkey. */
export type PasskeyFault = 'malformed' | 'challenge' | 'unknown_credential' | 'not_verified' | 'counter';

/** The answer of an authenticator that proves nothing. */
export class InvalidPasskey extends Refusal {
  /** @param unknownId of a passkey that is not here (any more) */
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

/** One of the user's tenants accepts other models only. */
export class PasskeyModelNotAccepted extends Refusal {
  constructor() {
    super('conflict', 'Passkey model not accepted');
  }
}

export class TooManyPasskeys extends Refusal {
  constructor() {
    super('conflict', 'Too many passkeys');
  }
}

/** Also for passkeys of other users. */
export class PasskeyNotFound extends Refusal {
  constructor() {
    super('not_found', 'Passkey not found');
  }
}
