/** How long the link "This was not me" of a mail works (docs/decisions/0066). */
export const STOP_DAYS = 7;
export const STOP_SECONDS = STOP_DAYS * 24 * 3600;

/**
 * What was added since then goes when its owner says that an event was not theirs: an intruder may have prepared it. The
 * mail about each has a link that works for as long, so nothing that is older can be undone by its own mail either.
 */
export function suspectSince(event: Date): Date {
  return new Date(event.getTime() - STOP_SECONDS * 1000);
}
