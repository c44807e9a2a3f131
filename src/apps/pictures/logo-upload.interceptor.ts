import { finished } from 'node:stream';
import {
  type CallHandler,
  type ExecutionContext,
  Injectable,
  type NestInterceptor,
  PayloadTooLargeException,
} from '@nestjs/common';
import { FileInterceptor } from '@nestjs/platform-express';
import type { Request, Response } from 'express';
import type { Observable } from 'rxjs';
import { holdersOf } from '../../common/actor.js';
import type { RequestContext } from '../../common/request-context.js';
import { ServiceUnavailable } from '../../common/http/http.refusals.js';
import { Semaphore } from '../../common/concurrency/semaphore.js';
import { limitOfTenants, limitsOf } from '../../common/concurrency/caller-limits.js';
import { isUuid } from '../../common/validation/fields.js';
import { InvalidInput } from '../../common/validation/invalid-input.js';
import { callerKey } from '../../rate-limits/counters/counter-keys.rules.js';
import { AppsService } from '../directory/apps.service.js';
import { MAX_LOGO_BYTES } from '../logo/logo-images.js';
import { LogoTooLarge } from '../logo/logo.errors.js';

/** Multipart boundaries, headers and small fields around the file. */
const MAX_FORM_OVERHEAD_BYTES = 16 * 1024;
const UPLOADS_AT_ONCE = 8;
const UPLOADS_PER_CALLER = 2;
/** Concurrent uploads of one tenant; one for each app. */
const UPLOADS_OF_TENANT = 3;
/**
 * Bytes that are read and discarded after a refusal, so that a client which reads only after it has sent everything
 * receives the answer.
 */
const MAX_DRAINED_BYTES = 8 * 1024 * 1024;

const LIMITS = {
  fileSize: MAX_LOGO_BYTES,
  files: 1,
  fields: 4,
  parts: 5,
  fieldSize: 1024,
  fieldNameSize: 100,
  headerPairs: 20,
  fieldNestingDepth: 0,
};

type UploadRequest = Request & { context: RequestContext; file?: { buffer: Buffer }; judgeAgain?: () => Promise<void> };

/**
 * Reads the field `file` of a multipart body into memory, after it has checked that the caller may change this app's
 * logo, and stops at the first byte over the limit. The handler finds the file in `request.file`.
 *
 * Every tenant admin can upload, so refused bodies must not fill the memory, and the client must still receive the
 * refusal.
 */
@Injectable()
export class LogoUpload implements NestInterceptor {
  private readonly multipart: NestInterceptor = new (FileInterceptor('file', { limits: LIMITS }))();
  private readonly uploads = new Semaphore(UPLOADS_AT_ONCE);

  constructor(private readonly apps: AppsService) {}

  /** @throws AppNotFound, InsufficientPermissions, LogoTooLarge, InvalidInput, ServiceUnavailable */
  async intercept(host: ExecutionContext, next: CallHandler): Promise<Observable<unknown>> {
    const request = host.switchToHttp().getRequest<UploadRequest>();
    try {
      return await this.read(host, request, next);
    } catch (error) {
      if (!request.complete) afterBytes(request, MAX_DRAINED_BYTES, () => request.socket.destroy());
      throw error;
    }
  }

  private async read(host: ExecutionContext, request: UploadRequest, next: CallHandler): Promise<Observable<unknown>> {
    const { actor } = request.context;
    const id = request.params['app_id'];
    const app = isUuid(id) ? await this.apps.getAdministered(request.context, id.toLowerCase()) : null;
    if (Number(request.headers['content-length'] ?? 0) > MAX_LOGO_BYTES + MAX_FORM_OVERHEAD_BYTES)
      throw new LogoTooLarge();
    const release = this.uploads.tryAcquire([
      { key: callerKey(actor) ?? actor.type, max: UPLOADS_PER_CALLER },
      ...limitsOf(actor, app?.tenantId ?? holdersOf(actor)[0]!, UPLOADS_OF_TENANT, app?.id ?? null),
      ...limitOfTenants(actor, UPLOADS_AT_ONCE - 1),
    ]);
    if (!release) throw new ServiceUnavailable('Too many uploads at once', 2);
    // The response was sent or the client disconnected. The end of the parser is no signal: it never ends if the sender
    // disconnects.
    finished(host.switchToHttp().getResponse<Response>(), release);
    // The parser answers a body that is too large only after it has read all of it.
    const handled = await Promise.race([this.multipart.intercept(host, next), endless(request)]).catch(
      (error: unknown) => {
        if (error instanceof LogoTooLarge) throw error;
        throw error instanceof PayloadTooLargeException ? new LogoTooLarge() : malformed(error);
      },
    );
    // The sender has as long for the body as the server waits. For forms, the picture is checked after its conversion.
    await request.judgeAgain?.();
    return handled;
  }
}

/** Any other error of the parser is caused by the sender. */
function malformed(error: unknown): InvalidInput {
  const code = ((error as Error).cause as { code?: unknown } | undefined)?.code;
  if (code === 'LIMIT_UNEXPECTED_FILE') return InvalidInput.field('file', 'Field required', 'missing');
  return new InvalidInput([{ loc: ['body'], msg: 'Body is not well-formed multipart', type: 'value_error' }]);
}

/** Never resolves. @throws LogoTooLarge if the body is too long to discard */
function endless(request: Request): Promise<never> {
  return new Promise((_, reject) => {
    afterBytes(request, MAX_LOGO_BYTES + MAX_FORM_OVERHEAD_BYTES + MAX_DRAINED_BYTES, () => reject(new LogoTooLarge()));
  });
}

function afterBytes(request: Request, bytes: number, then: () => void): void {
  let left = bytes;
  request.on('data', (chunk: Buffer) => {
    left -= chunk.length;
    if (left < 0) then();
  });
}
