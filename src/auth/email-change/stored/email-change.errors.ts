import { Refusal } from '../../../common/refusal.js';

/**
 * Also for a change that has expired, or that ended because of too many wrong codes or a change of the user's
 * credentials.
 */
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

/** Only for a user who has proven access to the mailbox of the address, so that it reveals no account to others. */
export class EmailTaken extends Refusal {
  constructor() {
    super('conflict', 'Another account has this address');
  }
}
