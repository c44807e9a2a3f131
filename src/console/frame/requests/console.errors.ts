import { Refusal } from '../../../common/refusal.js';

/** A redirect instead of a page: to the sign-in, or back to the page of a form. */
export class GoElsewhere extends Error {
  constructor(readonly location: string) {
    super(`Go to ${location}`);
  }
}

/** To sign in again, and back to a page that asks. */
export function askWhoItIs(page: string): GoElsewhere {
  return new GoElsewhere(`/console/confirm-identity?to=${encodeURIComponent(page)}`);
}

/** Signed in, but administers nothing: signing in again would not help. */
export class NothingToAdminister extends Error {}

export class AlreadyActingAs extends Refusal {
  constructor() {
    super('conflict', 'You are already impersonating. Stop impersonating first');
  }
}
