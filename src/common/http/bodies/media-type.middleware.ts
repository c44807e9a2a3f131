import type { NextFunction, Request, Response } from 'express';
import { UnsupportedMediaType } from '../http.refusals.js';
import { isForStandardForm } from './oauth-forms.js';

const READ = /^(application\/json|application\/x-www-form-urlencoded|multipart\/form-data)\s*(;|$)/i;
const UPLOAD = /^multipart\//i;

/**
 * Refuses a body in a type that no parser accepts, instead of treating it as empty (login CSRF by text/plain), and an
 * upload to an endpoint for which an OAuth standard defines a form.
 */
export function refuseUnknownMediaTypes(request: Request, _response: Response, next: NextFunction): void {
  const hasBody =
    request.headers['transfer-encoding'] !== undefined || Number(request.headers['content-length'] ?? 0) > 0;
  const type = request.headers['content-type'];
  const isRead = type !== undefined && READ.test(type) && !(UPLOAD.test(type) && isForStandardForm(request));
  if (hasBody && !isRead) next(new UnsupportedMediaType());
  else next();
}
