import type { RequestContext } from '../request-context.js';

/** Told of every refusal for want of authority; the audit log implements it (`auth/access/audited-denials.ts`). */
export abstract class DenialRecorder {
  /** Never throws: the refusal itself must reach the caller. @param route the route's pattern, not the address */
  abstract record(ctx: RequestContext, method: string, route: string): Promise<void>;
}
