import type { EntryVerdict } from './entry.rules.js';

/** Undoes the transaction of a sign-in whose judgement has changed since; the door says it in its own words. */
export class EntryRefused extends Error {
  constructor(readonly verdict: Exclude<EntryVerdict, 'enter'>) {
    super(`No entry: ${verdict}`);
    this.name = EntryRefused.name;
  }
}
