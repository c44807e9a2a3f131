import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import { raw, type Request, type Response } from 'express';
import { finalize, type Observable } from 'rxjs';
import { closingOf } from '../streams/closing-of.js';
import type { ContextualRequest } from '../context.decorator.js';
import { UnsupportedMediaType } from '../http.refusals.js';
import { isLargeBody, kindOfLargeBody, MAX_LARGE_BODY_BYTES } from './large-bodies.js';
import { LargeBodySemaphores } from './large-body-semaphores.js';
import { refusalOfBody } from './parser-errors.js';

/**
 * Reads a large body after the guards have accepted the caller, so that only authorized callers can make the service
 * hold 32 MB. Without a free permit it refuses with 503 and Retry-After, before it reads anything. It acquires a permit
 * to process the body only after the whole body has arrived, so that a slow sender blocks no one else, and waits some
 * seconds for it. All of this can take most of a minute, so the caller is then authorized again: a token that was
 * revoked in the meantime starts nothing.
 */
@Injectable()
export class LargeBodyInterceptor implements NestInterceptor {
  constructor(private readonly semaphores: LargeBodySemaphores) {}

  async intercept(host: ExecutionContext, next: CallHandler): Promise<Observable<unknown>> {
    const request = host.switchToHttp().getRequest<ContextualRequest>();
    const { headers, originalUrl: url, method } = request;
    const kind = kindOfLargeBody({ url });
    if (kind === null || !isLargeBody({ headers, url, method })) return next.handle();
    const { actor } = request.context;
    const releaseReceiving = this.semaphores.acquireToReceive(actor, kind);
    const response = host.switchToHttp().getResponse<Response>();
    const closing = closingOf(response);
    let releaseProcessing: () => void = () => undefined;
    try {
      const body = await read(request, response);
      releaseProcessing = await this.semaphores.acquireToProcess(actor, closing, kind);
      await request.judgeAgain();
      request.body = parsed(body);
    } catch (error) {
      releaseProcessing();
      throw error;
    } finally {
      releaseReceiving();
    }
    return next.handle().pipe(finalize(releaseProcessing));
  }
}

/** JSON between systems must be UTF-8 (RFC 8259 section 8.1). */
const OTHER_CHARSET = /;\s*charset\s*=(?!\s*"?utf-8"?\s*(?:;|$))/i;

/** Reads the whole body, decompressed. It is parsed only after it has a permit. */
function read(request: Request, response: Response): Promise<Buffer> {
  if (OTHER_CHARSET.test(request.headers['content-type'] ?? '')) throw new UnsupportedMediaType();
  return new Promise((resolve, reject) => {
    raw({ limit: MAX_LARGE_BODY_BYTES, type: () => true })(request, response, (error?: unknown) =>
      error ? reject(refusalOfBody(error)) : resolve(Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0)),
    );
  });
}

function parsed(body: Buffer): unknown {
  try {
    return body.length === 0 ? {} : JSON.parse(new TextDecoder().decode(body));
  } catch (error) {
    throw refusalOfBody(error);
  }
}
