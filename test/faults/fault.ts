/** What a fault did to the service. */
export interface Outcome {
  /** One line for the report: how often, how many, how long. */
  readonly figures: string;
  /** What must not have happened, a sentence each. */
  readonly broken: readonly string[];
}

export interface Fault {
  /** The number of the list in docs/operations.md, and what is done. */
  readonly name: string;
  /** Fewer rounds, for `npm test`; without it the fault belongs to `npm run test:faults` alone. */
  readonly quick?: () => Promise<Outcome>;
  readonly run: () => Promise<Outcome>;
  /** @returns in words, what this machine lacks for it; null where it can run */
  readonly lacks?: () => string | null;
}
