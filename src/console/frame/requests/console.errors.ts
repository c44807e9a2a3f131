import type { RequestContext } from '../../../common/request-context.js';
import { Refusal } from '../../../common/refusal.js';

/** A redirect instead of a page: to the sign-in, or back to the page with the form. */
export class ConsoleRedirect extends Error {
  constructor(readonly location: string) {
    super(`Go to ${location}`);
  }
}

/** Redirects to a new sign-in, and then to a page that asks. */
export function askWhoItIs(page: string): ConsoleRedirect {
  return new ConsoleRedirect(confirmIdentityPath(page));
}

/** @param page to which the operator returns after the new sign-in */
export function confirmIdentityPath(page: string): string {
  return `/console/confirm-identity?to=${encodeURIComponent(page)}`;
}

/**
 * Where to sign in again before a form is filled in, because saving it may require that, and what was typed would be
 * lost. Null if the sign-in is recent.
 */
export function confirmFirst({ signedInRecently }: RequestContext, page: string): string | null {
  return signedInRecently === false ? confirmIdentityPath(page) : null;
}

/** The user is signed in but administers nothing, so another sign-in would not help. */
export class NothingToAdminister extends Error {}

export class AlreadyActingAs extends Refusal {
  constructor() {
    super('conflict', 'You are already impersonating. Stop impersonating first');
  }
}
