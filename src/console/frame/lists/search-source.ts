import type { ConsoleRequest } from '../requests/console-request.js';

export interface SearchHit {
  readonly label: string;
  /** A second line: what tells it from others of that name. */
  readonly note: string;
  readonly href: string;
}

/** Hits of a source that a page of results shows. */
export const SEARCH_HITS = 10;

/**
 * A source for the console's search. Every provider that extends it is found automatically.
 */
export abstract class ConsoleSearchSource {
  /** Plural, as the heading of its hits says it. */
  abstract readonly title: string;
  /** Of its hits: a name in `assets/icons.svg`. */
  abstract readonly icon: string;
  /** Place among the sources, from the top. */
  abstract readonly rank: number;
  /** At most {@link SEARCH_HITS}, cut to what the visitor may see; nothing for those who may not look at all. */
  abstract search(consoleRequest: ConsoleRequest, text: string): Promise<readonly SearchHit[]>;
}
