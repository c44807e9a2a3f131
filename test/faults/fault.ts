/** What a fault did to the service. */
export interface Outcome {
  /** One line for the report: how often, how many, how long. */
  readonly figures: string;
  /** What must not have happened, a sentence each. */
  readonly broken: readonly string[];
}

/** From the command line. */
export interface RunOptions {
  /** The commit that a deploy starts from. */
  readonly from?: string;
  /** Users in the tables of a deploy. */
  readonly users: number;
  /** Of the rounds and times of each fault, more than 0; 1 is all of them. */
  readonly share: number;
  /** Part of the name of those requests at whose commits the process is killed; by default all. */
  readonly requests?: string;
}

export interface Fault {
  /** The number of the list in docs/operations.md, and what is done. */
  readonly name: string;
  /** Fewer rounds, for `npm test`; without it the fault belongs to `npm run test:faults` alone. */
  readonly quick?: () => Promise<Outcome>;
  readonly run: (options: RunOptions) => Promise<Outcome>;
  /** @returns in words, what this machine lacks for it; null where it can run */
  readonly lacks?: () => string | null;
}
