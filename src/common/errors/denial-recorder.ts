import type { RequestContext } from '../request-context.js';

/** The requested route. */
export interface DeniedRoute {
  readonly method: string;
  /** The route's pattern, not the path of the request. */
  readonly route: string;
  /** Path parameters of the request. */
  readonly parameters: Readonly<Record<string, unknown>>;
}

/**
 * Receives every refusal for missing permissions. Implemented by the audit log
 * (`auth/access/denials/audited-denials.ts`).
 */
export abstract class DenialRecorder {
  /** Never throws: the refusal itself must reach the caller. */
  abstract record(ctx: RequestContext, denied: DeniedRoute): Promise<void>;
}
