import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';
import type { Credential } from './access-marks.js';
import type { RequestContext } from '../request-context.js';

/** A request after the access guard. */
export interface ContextualRequest extends Request {
  /** Set by the request log before anything else runs. */
  id: string;
  context: RequestContext;
  /** Credentials that the route accepts, from its access mark. Absent before the guard. */
  credentials?: readonly Credential[];
  /**
   * Authorizes the caller again, with the current state of the database, after a long wait: sets a new context, or
   * throws what the guard throws. Present if the guard has accepted a token.
   */
  judgeAgain: () => Promise<void>;
}

/**
 * Whether the request's route accepts this credential. Code that reads a credential checks this first, so that no route
 * accepts one that its mark does not list.
 */
export function acceptsCredential(request: Request, credential: Credential): boolean {
  return (request as Partial<ContextualRequest>).credentials?.includes(credential) ?? false;
}

/** Injects the {@link RequestContext} into a handler, as its first parameter. */
export const Ctx = createParamDecorator(
  (_: unknown, host: ExecutionContext): RequestContext => host.switchToHttp().getRequest<ContextualRequest>().context,
);
