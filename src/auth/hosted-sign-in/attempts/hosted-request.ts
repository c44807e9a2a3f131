import type { Request, Response } from 'express';
import type { RequestContext } from '../../../common/request-context.js';

/** One request to the hosted sign-in. */
export interface HostedRequest {
  readonly ctx: RequestContext;
  readonly request: Request;
  readonly response: Response;
}
