import type { NextFunction, Request, Response } from 'express';
import { UnsupportedMediaType } from '../http.refusals.js';
import { Refusal } from '../../refusal.js';
import { InvalidInput } from '../../validation/invalid-input.js';

class PayloadTooLarge extends Refusal {
  constructor() {
    super('too_large', 'Payload Too Large');
  }
}

/** What the `Content-Encoding` promises is not what came, or it broke off. */
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

/** Error middleware behind the body parsers: what they throw, in our words, before Nest turns it into a bare 400. */
export function translateParserErrors(
  error: unknown,
  _request: Request,
  _response: Response,
  next: NextFunction,
): void {
  next(refusalOfParser(error) ?? error);
}

/** What a body parser threw, in our words; null for an error of another kind. */
function refusalOfParser(error: unknown): Refusal | null {
  if (error instanceof Refusal || typeof error !== 'object' || error === null) return null;
  if (error instanceof URIError) return new BrokenPath();
  const { type, status, code } = error as { type?: unknown; status?: unknown; code?: unknown };
  // Of zlib, which gives no type: handed on by the parser as 400.
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

/** As {@link refusalOfParser}, where nothing but a parser was at work: whatever it throws, what was sent is at fault. */
export function refusalOfBody(error: unknown): Refusal {
  return error instanceof Refusal ? error : (refusalOfParser(error) ?? new UndecodableBody());
}
