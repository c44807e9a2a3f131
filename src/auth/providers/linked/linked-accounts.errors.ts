import { Refusal } from '../../../common/refusal.js';

/** A user without a password cannot remove their only linked account. */
export class LastSignInMethod extends Refusal {
  constructor() {
    super('conflict', 'Set a password first: this is the only way into the account');
  }
}

export class LinkedAccountNotFound extends Refusal {
  constructor() {
    super('not_found', 'Linked account not found');
  }
}

/** The identity already opens another account. */
export class LinkedElsewhere extends Refusal {
  constructor() {
    super('conflict', 'This account at the provider is linked to another account here');
  }
}
