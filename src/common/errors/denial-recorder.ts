import type { RequestContext } from '../request-context.js';

/** The route that was asked for. */
export interface DeniedRoute {
  readonly method: string;
  /** The route's pattern, not the address. */
  readonly route: string;
  /** What stood in the address in place of the pattern's names. */
  readonly parameters: Readonly<Record<string, unknown>>;
}

/** Receives every refusal for missing rights; the audit log implements it (`auth/access/denials/audited-denials.ts`). */
export abstract class DenialRecorder {
  /** Never throws: the refusal itself must reach the caller. */
  abstract record(ctx: RequestContext, denied: DeniedRoute): Promise<void>;
}
