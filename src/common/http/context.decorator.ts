import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';
import type { Credential } from './access-marks.js';
import type { RequestContext } from '../request-context.js';

/** A request that the access guard has looked at. */
export interface ContextualRequest extends Request {
  /** Given by the request log before anything else runs. */
  id: string;
  context: RequestContext;
  /** What the route takes, from its access mark. Absent until the guard has run. */
  credentials?: readonly Credential[];
  /**
   * Judges the caller as the guard did, with what the database says now, for who has waited since: a new context, or what the
   * guard throws. There once the guard has let a bearer of a token in.
   */
  judgeAgain: () => Promise<void>;
}

/** Whether the request's route takes this credential: who reads one asks here first, so that no route takes it unsaid. */
export function takesCredential(request: Request, credential: Credential): boolean {
  return (request as Partial<ContextualRequest>).credentials?.includes(credential) ?? false;
}

/** Hands the {@link RequestContext} to a handler: always its first parameter. */
export const Ctx = createParamDecorator(
  (_: unknown, host: ExecutionContext): RequestContext => host.switchToHttp().getRequest<ContextualRequest>().context,
);
