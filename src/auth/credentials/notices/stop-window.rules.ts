/** Days for which the link "Secure my account" in a mail is valid (docs/decisions/0066). */
export const STOP_DAYS = 7;
export const STOP_SECONDS = STOP_DAYS * 24 * 3600;

/**
 * Everything added since this time is removed when the owner reports an event, because an attacker may have prepared
 * it. The mail about each has a link with the same lifetime, so anything older can no longer be undone by its own mail
 * either.
 */
export function suspectSince(event: Date): Date {
  return new Date(event.getTime() - STOP_SECONDS * 1000);
}
