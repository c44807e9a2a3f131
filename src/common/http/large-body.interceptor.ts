import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import { raw, type Request, type Response } from 'express';
import { finalize, type Observable } from 'rxjs';
import { holderOf } from '../actor.js';
import type { RequestContext } from '../request-context.js';
import { closingOf } from './closing-of.js';
import { ServiceUnavailable, UnsupportedMediaType } from './http.refusals.js';
import { isLargeBody, LARGE_BODY_LIMIT } from './large-bodies.js';
import { refusalOfBody } from './parser-errors.js';
import { UploadSlots } from './upload-slots.js';

/** Bodies of up to 32 MB that this process works on at a time: ten times that in memory, each. */
const WORKED_ON_AT_ONCE = 2;
const WORKED_ON_PER_HOLDER = 1;
/** Bodies that are on their way, or have come and wait for their place. A slow one has little in memory yet. */
const SENT_AT_ONCE = 6;
const SENT_PER_HOLDER = 2;

/** One that has come is not refused at once: the tenant's other one ends soon. */
const PATIENCE_MS = 10_000;

const refusal = () => new ServiceUnavailable('Too many large requests at once', 5);

/**
 * Reads a large body after the guards have let the caller in, so that only authorized callers can make the service
 * hold 32 MB. Without a place it refuses with 503 and Retry-After, before a byte is read. The place for working is taken only
 * once the body has come, so that who sends slowly holds back no one else; it is waited for some seconds. No tenant ever has
 * all places of either kind.
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
    const response = host.switchToHttp().getResponse<Response>();
    const closing = closingOf(response);
    let done: () => void = () => undefined;
    try {
      const body = await read(request, response);
      done = await this.workedOn.wait(holder, AbortSignal.any([closing, AbortSignal.timeout(PATIENCE_MS)]));
      request.body = body.length === 0 ? {} : (JSON.parse(new TextDecoder().decode(body)) as unknown);
    } catch (error) {
      done();
      throw refusalOfBody(error);
    } finally {
      hasCome();
    }
    return next.handle().pipe(finalize(done));
  }
}

/** JSON between systems is UTF-8 (RFC 8259, 8.1). */
const OTHER_CHARSET = /;\s*charset\s*=(?!\s*"?utf-8"?\s*(?:;|$))/i;

/** All of it, unpacked. It is parsed only once there is a place for that. */
function read(request: Request, response: Response): Promise<Buffer> {
  if (OTHER_CHARSET.test(request.headers['content-type'] ?? '')) throw new UnsupportedMediaType();
  return new Promise((resolve, reject) => {
    raw({ limit: LARGE_BODY_LIMIT, type: () => true })(request, response, (error?: unknown) =>
      error ? reject(error as Error) : resolve(Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0)),
    );
  });
}
