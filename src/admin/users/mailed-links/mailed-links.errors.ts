import { Refusal } from '../../../common/refusal.js';

/** The member could not sign in with the link. */
export class MemberCannotSignIn extends Refusal {
  constructor(detail: 'User is not active' | 'App is not active') {
    super('conflict', detail);
  }
}

export class EmailAlreadyVerified extends Refusal {
  constructor() {
    super('conflict', 'Email address is already verified');
  }
}
