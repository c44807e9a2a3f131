import type { NextFunction, Request, Response } from 'express';
import { UnsupportedMediaType } from '../http.refusals.js';
import { Refusal } from '../../refusal.js';
import { InvalidInput } from '../../validation/invalid-input.js';

class PayloadTooLarge extends Refusal {
  constructor() {
    super('too_large', 'Payload Too Large');
  }
}

/** The body does not match its `Content-Encoding`, or is incomplete. */
class UndecodableBody extends Refusal {
  constructor() {
    super('bad_request', 'Body cannot be decoded');
  }
}

class BrokenPath extends Refusal {
  constructor() {
    super('not_found', 'Not Found');
  }
}

/**
 * Error middleware after the body parsers: turns their errors into refusals, before Nest turns them into a plain 400.
 */
export function translateParserErrors(
  error: unknown,
  _request: Request,
  _response: Response,
  next: NextFunction,
): void {
  next(refusalOfParser(error) ?? error);
}

/** The refusal for an error of a body parser; null for any other error. */
function refusalOfParser(error: unknown): Refusal | null {
  if (error instanceof Refusal || typeof error !== 'object' || error === null) return null;
  if (error instanceof URIError) return new BrokenPath();
  const { type, status, code } = error as { type?: unknown; status?: unknown; code?: unknown };
  // An error of zlib, which has no type; the parser passes it on with status 400.
  if (type === undefined && status === 400 && typeof code === 'string') return new UndecodableBody();
  switch (type) {
    case 'entity.too.large':
      return new PayloadTooLarge();
    case 'encoding.unsupported':
    case 'charset.unsupported':
      return new UnsupportedMediaType();
    case 'stream.encoding.set':
    case 'stream.not.readable':
      return new UndecodableBody();
    default: {
      const fromParser = typeof type === 'string' || error instanceof SyntaxError;
      if (!fromParser || (typeof status === 'number' && status >= 500)) return null;
      return new InvalidInput([{ loc: ['body'], msg: 'Body is not well-formed', type: 'json_invalid' }]);
    }
  }
}

/** As {@link refusalOfParser}, for errors that only a parser can have thrown: the request is always at fault. */
export function refusalOfBody(error: unknown): Refusal {
  return error instanceof Refusal ? error : (refusalOfParser(error) ?? new UndecodableBody());
}
