import { Refusal } from '../../common/refusal.js';

/** The users of an act are at more places than one request can judge. The act itself has no such limit. */
export class TooManyMemberships extends Refusal {
  constructor() {
    super('invalid', 'These users have too many memberships for one preview. Send fewer users');
  }
}
