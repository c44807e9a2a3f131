import type { EntryVerdict } from './entry.rules.js';

/**
 * Rolls back the transaction of a sign-in if the user may not enter the app, usually because something has changed
 * since the first check. The caller turns the verdict into a page or a JSON error.
 */
export class EntryRefused extends Error {
  constructor(readonly verdict: Exclude<EntryVerdict, 'enter'>) {
    super(`No entry: ${verdict}`);
    this.name = EntryRefused.name;
  }
}
