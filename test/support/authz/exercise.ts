import type { ActorName } from '../authz-matrix.js';
import type { AuthzFixture, Scope } from '../authz-fixture.js';
import type { Answer } from '../world.js';

interface Request {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
  /** In place of a JSON body. */
  readonly upload?: Buffer;
}

export type Body = Record<string, unknown> & unknown[];

/** One row of the authorization matrix as requests: each of its spellings, with its own target for every try. */
export interface Exercise {
  /** What a service token needs here, where one may come at all. */
  readonly scope?: Scope;
  readonly forms: Readonly<Record<string, (fixture: AuthzFixture) => Promise<Request>>>;
  /** Exact details of refusals, where they are others than the admin API's: what may come, by status. */
  readonly details?: Readonly<Record<number, string | readonly unknown[]>>;
  /** Fields that may stand beside `detail` in a refusal. */
  readonly beside?: readonly string[];
  /** True where a success changes nothing in the database: counters elsewhere, for instance. */
  readonly writesNothing?: boolean;
  /** What a 2xx answer must (not) show. */
  readonly check?: (answer: Answer<Body>, actor: ActorName, fixture: AuthzFixture) => Promise<void> | void;
}

/** By name of the row. */
export type Exercises = Readonly<Record<string, Exercise>>;
