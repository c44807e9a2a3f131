import type { ConsoleRequest } from '../requests/console-request.js';

export interface SearchHit {
  readonly label: string;
  /** A second line that distinguishes hits with the same name. */
  readonly note: string;
  readonly href: string;
}

/** Number of hits of a source on the results page. */
export const SEARCH_HITS = 10;

/** A source of the console's search. Every provider that extends this class is found automatically. */
export abstract class ConsoleSearchSource {
  /** Heading of the hits, in the plural. */
  abstract readonly title: string;
  /** Icon of the hits: a name in `assets/icons.svg`. */
  abstract readonly icon: string;
  /** Position among the sources, from the top. */
  abstract readonly rank: number;
  /** At most {@link SEARCH_HITS}, limited to what the operator may see; empty without permission. */
  abstract search(consoleRequest: ConsoleRequest, text: string): Promise<readonly SearchHit[]>;
}
