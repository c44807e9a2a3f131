import { Refusal } from '../../common/refusal.js';

export class MailNotFound extends Refusal {
  constructor() {
    super('not_found', 'Mail not found');
  }
}

/** The detail contains the reason. */
export class MailNotResendable extends Refusal {
  constructor(reason: string) {
    super('conflict', reason);
  }
}

export class OwnEmailNotVerified extends Refusal {
  constructor() {
    super('conflict', 'Verify your own e-mail address first');
  }
}
