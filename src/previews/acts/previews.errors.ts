import { Refusal } from '../../common/refusal.js';

/** The users of the action have more memberships than one request can evaluate. The action itself has no such limit. */
export class TooManyMemberships extends Refusal {
  constructor() {
    super('invalid', 'These users have too many memberships for one preview. Send fewer users');
  }
}
