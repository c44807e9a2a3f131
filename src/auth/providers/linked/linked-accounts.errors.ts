import { Refusal } from '../../../common/refusal.js';

/** The last way to sign in to an account cannot be removed. */
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
