import { Refusal } from '../../../common/refusal.js';

/** Also for a change that expired, or that a change of the account has ended. */
export class NoEmailChange extends Refusal {
  constructor() {
    super('bad_request', 'No e-mail change in progress');
  }
}

export class WrongEmailCode extends Refusal {
  constructor() {
    super('bad_request', 'Invalid code');
  }
}

/** Said only to a user who has shown that the mailbox is theirs. */
export class EmailTaken extends Refusal {
  constructor() {
    super('conflict', 'Another account has this address');
  }
}
