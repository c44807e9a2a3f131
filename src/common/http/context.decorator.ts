import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';
import type { RequestContext } from '../request-context.js';

/** A request that the access guard has looked at. */
export interface ContextualRequest extends Request {
  /** Given by the request log before anything else runs. */
  id: string;
  context: RequestContext;
}

/** Hands the {@link RequestContext} to a handler: always its first parameter. */
export const Ctx = createParamDecorator(
  (_: unknown, host: ExecutionContext): RequestContext => host.switchToHttp().getRequest<ContextualRequest>().context,
);
