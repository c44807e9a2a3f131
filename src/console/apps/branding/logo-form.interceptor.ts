import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import type { Request } from 'express';
import type { Observable } from 'rxjs';
import { LogoTooLarge } from '../../../apps/logo/logo.errors.js';
import { LogoUpload } from '../../../apps/pictures/logo-upload.interceptor.js';
import type { FormError } from '../../../common/pages/form-error.js';
import type { RequestContext } from '../../../common/request-context.js';
import { InvalidInput } from '../../../common/validation/invalid-input.js';

export interface LogoRequest extends Request {
  readonly context: RequestContext;
  file?: { readonly buffer: Buffer };
  /** Error of the upload, which the form shows next to the field. */
  logoFault?: FormError;
}

/** Reads an upload as the API does. An error in the file is shown in the form, not on an error page. */
@Injectable()
export class LogoForm implements NestInterceptor {
  constructor(private readonly upload: LogoUpload) {}

  async intercept(host: ExecutionContext, next: CallHandler): Promise<Observable<unknown>> {
    const request = host.switchToHttp().getRequest<LogoRequest>();
    try {
      return await this.upload.intercept(host, next);
    } catch (error) {
      const message = wordsFor(error);
      if (!message) throw error;
      request.logoFault = { field: 'file', message };
      return next.handle();
    }
  }
}

function wordsFor(error: unknown): string | null {
  if (error instanceof LogoTooLarge) return 'The file is too large. The limit is 2 MB.';
  return error instanceof InvalidInput ? 'The file could not be read. Choose it again.' : null;
}
