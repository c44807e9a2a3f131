import {
  type CallHandler,
  type ExecutionContext,
  Injectable,
  type NestInterceptor,
  PayloadTooLargeException,
} from '@nestjs/common';
import { FileInterceptor } from '@nestjs/platform-express';
import type { Request } from 'express';
import { finalize, type Observable } from 'rxjs';
import { ServiceUnavailable } from '../../common/http/http.refusals.js';
import { Refusal } from '../../common/refusal.js';
import { InvalidInput } from '../../common/validation/invalid-input.js';

/** As much as the API takes. */
const FILE_BYTES = 32 * 1024 * 1024;
/** More than anyone pastes. */
const TEXT_BYTES = 4 * 1024 * 1024;
/** That this process reads or plans at a time: ten times that in memory. */
const AT_ONCE = 1;
const LIMITS = {
  fileSize: FILE_BYTES,
  files: 1,
  fields: 4,
  parts: 6,
  fieldSize: TEXT_BYTES,
  fieldNameSize: 100,
  headerPairs: 20,
  fieldNestingDepth: 0,
};

class DocumentTooLarge extends Refusal {
  constructor() {
    super('too_large', 'The document is larger than 32 MB, or 4 MB as text');
  }
}

/** Reads the form of an import, file or text, once the guard has let the visitor in. */
@Injectable()
export class DocumentUpload implements NestInterceptor {
  private readonly multipart: NestInterceptor = new (FileInterceptor('file', { limits: LIMITS }))();
  private underWay = 0;

  /** @throws DocumentTooLarge, InvalidInput, ServiceUnavailable */
  async intercept(host: ExecutionContext, next: CallHandler): Promise<Observable<unknown>> {
    if (this.underWay >= AT_ONCE) throw new ServiceUnavailable('Too many imports at once', 5);
    this.underWay++;
    const done = () => void this.underWay--;
    try {
      const request = host.switchToHttp().getRequest<Request>();
      return (await Promise.race([this.multipart.intercept(host, next), hungUp(request)])).pipe(finalize(done));
    } catch (error) {
      done();
      const { code } = ((error as Error).cause ?? {}) as { code?: unknown };
      if (error instanceof PayloadTooLargeException || code === 'LIMIT_FIELD_VALUE') throw new DocumentTooLarge();
      if (error instanceof Refusal) throw error;
      throw InvalidInput.field('file', 'The form could not be read');
    }
  }
}

/** Never resolves: the parser does not end where the sender has gone. @throws InvalidInput once that has happened */
function hungUp(request: Request): Promise<never> {
  return new Promise((_, reject) => {
    const judge = () => {
      if (!request.complete) reject(InvalidInput.field('file', 'The form could not be read'));
    };
    if (request.destroyed) judge();
    else request.once('close', judge);
  });
}
