import { Refusal } from '../../common/refusal.js';

/** No page but another address: to the way in, or back to where a form came from. */
export class GoElsewhere extends Error {
  constructor(readonly location: string) {
    super(`Go to ${location}`);
  }
}

/** Signed in, but administers nothing: signing in again would not help. */
export class NothingToAdminister extends Error {}

export class AlreadyActingAs extends Refusal {
  constructor() {
    super('conflict', 'You are already impersonating. Stop impersonating first');
  }
}
