import { Refusal } from '../../../common/refusal.js';

export class LastPlatformAdmin extends Refusal {
  constructor() {
    super('bad_request', 'The last platform admin cannot be removed');
  }
}

/** An unverified account gets no authority: an attacker may have made it with that address. */
export class UserNotVerified extends Refusal {
  constructor() {
    super('bad_request', 'User is not verified');
  }
}
