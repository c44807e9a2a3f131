import { applyDecorators, HttpCode, UseInterceptors } from '@nestjs/common';
import {
  ApiBadRequestResponse,
  ApiBody,
  ApiConsumes,
  ApiNotFoundResponse,
  ApiOkResponse,
  ApiOperation,
  ApiPayloadTooLargeResponse,
  ApiServiceUnavailableResponse,
} from '@nestjs/swagger';
import { Requires } from '../../common/http/access-marks.js';
import { InvalidInput } from '../../common/validation/invalid-input.js';
import { AppView } from '../settings/app.view.js';
import { LogoUpload } from './logo-upload.interceptor.js';

/** A request with the uploaded file, as set by {@link LogoUpload}. */
export interface UploadedPicture {
  readonly file?: { readonly buffer: Buffer };
}

/** @throws InvalidInput if the file is missing */
export function pictureOf({ file }: UploadedPicture): Buffer {
  if (!file) throw InvalidInput.field('file', 'Field required', 'missing');
  return file.buffer;
}

/** A route that takes a picture of an app as the field `file`. */
export const TakesPicture = (summary: string, kept: string) =>
  applyDecorators(
    HttpCode(200),
    Requires({ minimumRole: 'app_admin' }),
    UseInterceptors(LogoUpload),
    ApiOperation({
      summary,
      description: `Send a PNG, JPEG or SVG of at most 2 MB and 25 megapixels; the content decides, not the file name. ${kept} An SVG is rendered to a PNG and never stored.`,
    }),
    ApiConsumes('multipart/form-data'),
    ApiBody({
      required: true,
      schema: { type: 'object', required: ['file'], properties: { file: { type: 'string', format: 'binary' } } },
    }),
    ApiOkResponse({ type: AppView }),
    ApiBadRequestResponse({ description: '`Unsupported image type`' }),
    ApiNotFoundResponse({ description: '`App not found`' }),
    ApiPayloadTooLargeResponse({ description: '`Logo too large`' }),
    ApiServiceUnavailableResponse({ description: 'Too many uploads at once; Retry-After says when to try again' }),
  );

/** A route that removes one. */
export const RemovesPicture = (summary: string, description: string) =>
  applyDecorators(
    Requires({ minimumRole: 'app_admin' }),
    ApiOperation({ summary, description }),
    ApiOkResponse({ type: AppView }),
    ApiNotFoundResponse({ description: '`App not found`' }),
  );
