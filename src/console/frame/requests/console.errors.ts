import { Refusal } from '../../../common/refusal.js';

/** A redirect instead of a page: to the sign-in, or back to the page with the form. */
export class GoElsewhere extends Error {
  constructor(readonly location: string) {
    super(`Go to ${location}`);
  }
}

/** Redirects to a new sign-in, and then to a page that asks. */
export function askWhoItIs(page: string): GoElsewhere {
  return new GoElsewhere(`/console/confirm-identity?to=${encodeURIComponent(page)}`);
}

/** The user is signed in but administers nothing, so another sign-in would not help. */
export class NothingToAdminister extends Error {}

export class AlreadyActingAs extends Refusal {
  constructor() {
    super('conflict', 'You are already impersonating. Stop impersonating first');
  }
}
