import {
  type CallHandler,
  type ExecutionContext,
  Injectable,
  type NestInterceptor,
  PayloadTooLargeException,
} from '@nestjs/common';
import { FileInterceptor } from '@nestjs/platform-express';
import type { Request, Response } from 'express';
import { finalize, type Observable } from 'rxjs';
import { closingOf } from '../../../common/http/streams/closing-of.js';
import { LargeBodySemaphores } from '../../../common/http/bodies/large-body-semaphores.js';
import { Refusal } from '../../../common/refusal.js';
import { InvalidInput } from '../../../common/validation/invalid-input.js';
import type { RequestWithConsole } from '../../frame/requests/console-request.js';

/** The maximum of the API. */
const FILE_BYTES = 32 * 1024 * 1024;
/** Maximum size of pasted text. */
const TEXT_BYTES = 4 * 1024 * 1024;
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
    super(
      'too_large',
      'The file is larger than 32 MB, or the pasted text is larger than 4 MB. Upload a document of more than 4 MB as a file.',
    );
  }
}

/**
 * Reads the form of an import, a file or a text, after the guard has accepted the operator. It needs a permit like a
 * large body of the API.
 */
@Injectable()
export class DocumentUpload implements NestInterceptor {
  private readonly multipart: NestInterceptor = new (FileInterceptor('file', { limits: LIMITS }))();

  constructor(private readonly semaphores: LargeBodySemaphores) {}

  /** @throws DocumentTooLarge, InvalidInput, ServiceUnavailable */
  async intercept(host: ExecutionContext, next: CallHandler): Promise<Observable<unknown>> {
    const request = host.switchToHttp().getRequest<RequestWithConsole>();
    const { actor } = request.consoleRequest!;
    const releaseReceiving = this.semaphores.acquireToReceive(actor);
    const closing = closingOf(host.switchToHttp().getResponse<Response>());
    try {
      const answer = await this.read(host, next, request);
      const releaseProcessing = await this.semaphores.acquireToProcess(actor, closing);
      return answer.pipe(finalize(releaseProcessing));
    } finally {
      releaseReceiving();
    }
  }

  private async read(host: ExecutionContext, next: CallHandler, request: Request): Promise<Observable<unknown>> {
    try {
      return await Promise.race([this.multipart.intercept(host, next), hungUp(request)]);
    } catch (error) {
      const { code } = ((error as Error).cause ?? {}) as { code?: unknown };
      if (error instanceof PayloadTooLargeException || code === 'LIMIT_FIELD_VALUE') throw new DocumentTooLarge();
      if (error instanceof Refusal) throw error;
      throw InvalidInput.field('file', 'The form could not be read');
    }
  }
}

/** Never resolves. The parser does not end if the client disconnects. @throws InvalidInput when that happens */
function hungUp(request: Request): Promise<never> {
  return new Promise((_, reject) => {
    const judge = () => {
      if (!request.complete) reject(InvalidInput.field('file', 'The form could not be read'));
    };
    if (request.destroyed) judge();
    else request.once('close', judge);
  });
}
