import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import { json, type Request, type Response } from 'express';
import { finalize, type Observable } from 'rxjs';
import { refusalOfBody } from './parser-errors.js';
import { ServiceUnavailable } from './http.refusals.js';
import { isLargeBody, LARGE_BODY_LIMIT } from './large-bodies.js';

/** Bodies of up to 32 MB that this process reads or works on at a time: ten times that in memory, each. */
const AT_ONCE = 2;
const RETRY_AFTER_SECONDS = 5;

/**
 * Reads a large body after the guards have let the caller in, so that only authorized callers can make the service
 * hold 32 MB. Beyond {@link AT_ONCE} it refuses with 503 and Retry-After before a byte is read.
 */
@Injectable()
export class LargeBodyInterceptor implements NestInterceptor {
  private readonly parse = json({ limit: LARGE_BODY_LIMIT, strict: false });
  private underWay = 0;

  async intercept(host: ExecutionContext, next: CallHandler): Promise<Observable<unknown>> {
    const request = host.switchToHttp().getRequest<Request>();
    if (!isLargeBody({ headers: request.headers, url: request.originalUrl, method: request.method }))
      return next.handle();
    if (this.underWay >= AT_ONCE) throw new ServiceUnavailable('Too many large requests at once', RETRY_AFTER_SECONDS);
    this.underWay++;
    const done = () => void this.underWay--;
    try {
      await this.read(request, host.switchToHttp().getResponse<Response>());
    } catch (error) {
      done();
      throw refusalOfBody(error);
    }
    return next.handle().pipe(finalize(done));
  }

  private read(request: Request, response: Response): Promise<void> {
    return new Promise((resolve, reject) => {
      this.parse(request, response, (error?: unknown) => (error ? reject(error as Error) : resolve()));
    });
  }
}
