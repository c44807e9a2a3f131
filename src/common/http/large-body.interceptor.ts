import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import { json, type Request, type Response } from 'express';
import { finalize, type Observable } from 'rxjs';
import { holderOf } from '../actor.js';
import type { RequestContext } from '../request-context.js';
import { ServiceUnavailable } from './http.refusals.js';
import { isLargeBody, LARGE_BODY_LIMIT } from './large-bodies.js';
import { refusalOfBody } from './parser-errors.js';
import { UploadSlots } from './upload-slots.js';

/** Bodies of up to 32 MB that this process works on at a time: ten times that in memory, each. */
const WORKED_ON_AT_ONCE = 2;
const WORKED_ON_PER_HOLDER = 1;
/** Bodies that are on their way. A slow one has little in memory yet. */
const SENT_AT_ONCE = 6;
const SENT_PER_HOLDER = 2;

const refusal = () => new ServiceUnavailable('Too many large requests at once', 5);

/**
 * Reads a large body after the guards have let the caller in, so that only authorized callers can make the service
 * hold 32 MB. Without a place it refuses with 503 and Retry-After, before a byte is read; the place for working is taken only
 * once the body has come, so that who sends slowly holds back no one else. No tenant ever has all places of either kind.
 */
@Injectable()
export class LargeBodyInterceptor implements NestInterceptor {
  private readonly sent = new UploadSlots(SENT_AT_ONCE, SENT_PER_HOLDER, refusal);
  private readonly workedOn = new UploadSlots(WORKED_ON_AT_ONCE, WORKED_ON_PER_HOLDER, refusal);

  async intercept(host: ExecutionContext, next: CallHandler): Promise<Observable<unknown>> {
    const request = host.switchToHttp().getRequest<Request & { context: RequestContext }>();
    if (!isLargeBody({ headers: request.headers, url: request.originalUrl, method: request.method }))
      return next.handle();
    const holder = holderOf(request.context.actor);
    const hasCome = this.sent.take(holder);
    const ends: (() => void)[] = [];
    const done = () => ends.splice(0).forEach((end) => end());
    try {
      await read(request, host.switchToHttp().getResponse<Response>(), () => ends.push(this.workedOn.take(holder)));
    } catch (error) {
      done();
      throw error instanceof ServiceUnavailable ? error : refusalOfBody(error);
    } finally {
      hasCome();
    }
    return next.handle().pipe(finalize(done));
  }
}

/** @param begin before it is parsed, when all of it has come; what it throws, this throws */
function read(request: Request, response: Response, begin: () => void): Promise<void> {
  let refused: unknown = null;
  const verify = () => {
    try {
      begin();
    } catch (error) {
      refused = error;
      throw error;
    }
  };
  return new Promise((resolve, reject) => {
    json({ limit: LARGE_BODY_LIMIT, strict: false, verify })(request, response, (error?: unknown) =>
      error ? reject((refused ?? error) as Error) : resolve(),
    );
  });
}
