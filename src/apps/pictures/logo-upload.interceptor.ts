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
import { Places } from '../../common/concurrency/places.js';
import { shareOfTenants, sharesOf } from '../../common/concurrency/shares.js';
import { isUuid } from '../../common/validation/fields.js';
import { InvalidInput } from '../../common/validation/invalid-input.js';
import { callerKey } from '../../rate-limits/counters/counter-keys.rules.js';
import { AppsService } from '../directory/apps.service.js';
import { MAX_LOGO_BYTES } from '../logo/logo-images.js';
import { LogoTooLarge } from '../logo/logo.errors.js';

/** Boundaries, headers and small fields around the file. */
const MAX_FORM_OVERHEAD_BYTES = 16 * 1024;
const UPLOADS_AT_ONCE = 8;
const UPLOADS_PER_CALLER = 2;
/** Of each app one. */
const UPLOADS_OF_TENANT = 3;
/** Read on and thrown away after a no, so that a client which writes first and reads then gets to see it. */
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

type UploadRequest = Request & { context: RequestContext; file?: { buffer: Buffer } };

/**
 * Reads the field `file` of a multipart body into memory, once it is clear that the caller may change this app's logo,
 * and stops reading at the first byte too many. The handler finds it in `request.file`.
 *
 * Worth its size because every tenant admin can upload: refused bodies must not fill the memory, and the refusal must
 * still reach the client.
 */
@Injectable()
export class LogoUpload implements NestInterceptor {
  private readonly multipart: NestInterceptor = new (FileInterceptor('file', { limits: LIMITS }))();
  private readonly places = new Places(UPLOADS_AT_ONCE);

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
    const giveBack = this.places.take([
      { of: callerKey(actor) ?? actor.type, most: UPLOADS_PER_CALLER },
      ...sharesOf(actor, app?.tenantId ?? holdersOf(actor)[0]!, UPLOADS_OF_TENANT, app?.id ?? null),
      ...shareOfTenants(actor, UPLOADS_AT_ONCE - 1),
    ]);
    if (!giveBack) throw new ServiceUnavailable('Too many uploads at once', 2);
    // Answered or hung up. Not when the parser is done: it never is with a body whose sender has gone.
    finished(host.switchToHttp().getResponse<Response>(), giveBack);
    try {
      // The parser itself answers a body that is too large only when it has come to its end.
      return await Promise.race([this.multipart.intercept(host, next), endless(request)]);
    } catch (error) {
      if (error instanceof LogoTooLarge) throw error;
      throw error instanceof PayloadTooLargeException ? new LogoTooLarge() : malformed(error);
    }
  }
}

/** Whatever else the parser has against a body is the sender's doing. */
function malformed(error: unknown): InvalidInput {
  const code = ((error as Error).cause as { code?: unknown } | undefined)?.code;
  if (code === 'LIMIT_UNEXPECTED_FILE') return InvalidInput.field('file', 'Field required', 'missing');
  return new InvalidInput([{ loc: ['body'], msg: 'Body is not well-formed multipart', type: 'value_error' }]);
}

/** Never resolves. @throws LogoTooLarge once more has come than is worth throwing away */
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
