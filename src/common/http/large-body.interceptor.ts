import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import { raw, type Request, type Response } from 'express';
import { finalize, type Observable } from 'rxjs';
import type { RequestContext } from '../request-context.js';
import { closingOf } from './closing-of.js';
import { UnsupportedMediaType } from './http.refusals.js';
import { isLargeBody, LARGE_BODY_LIMIT } from './large-bodies.js';
import { LargeBodyPlaces } from './large-body-places.js';
import { refusalOfBody } from './parser-errors.js';

/**
 * Reads a large body after the guards have let the caller in, so that only authorized callers can make the service
 * hold 32 MB. Without a place it refuses with 503 and Retry-After, before a byte is read. The place for working is taken only
 * once the body has come, so that who sends slowly holds back no one else; it is waited for some seconds.
 */
@Injectable()
export class LargeBodyInterceptor implements NestInterceptor {
  constructor(private readonly places: LargeBodyPlaces) {}

  async intercept(host: ExecutionContext, next: CallHandler): Promise<Observable<unknown>> {
    const request = host.switchToHttp().getRequest<Request & { context: RequestContext }>();
    if (!isLargeBody({ headers: request.headers, url: request.originalUrl, method: request.method }))
      return next.handle();
    const { actor } = request.context;
    const hasCome = this.places.takeToSend(actor);
    const response = host.switchToHttp().getResponse<Response>();
    const closing = closingOf(response);
    let done: () => void = () => undefined;
    try {
      const body = await read(request, response);
      done = await this.places.waitToWork(actor, closing);
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
