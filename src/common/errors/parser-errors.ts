import type { NextFunction, Request, Response } from 'express';
import { UnsupportedMediaType } from '../http/http.refusals.js';
import { Refusal } from '../refusal.js';
import { InvalidInput } from '../validation/invalid-input.js';

class PayloadTooLarge extends Refusal {
  constructor() {
    super('too_large', 'Payload Too Large');
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
export function refusalOfParser(error: unknown): Refusal | null {
  if (error instanceof Refusal || typeof error !== 'object' || error === null) return null;
  if (error instanceof URIError) return new BrokenPath();
  const { type, status } = error as { type?: unknown; status?: unknown };
  switch (type) {
    case 'entity.too.large':
      return new PayloadTooLarge();
    case 'encoding.unsupported':
    case 'charset.unsupported':
      return new UnsupportedMediaType();
    default: {
      const fromParser = typeof type === 'string' || error instanceof SyntaxError;
      if (!fromParser || (typeof status === 'number' && status >= 500)) return null;
      return new InvalidInput([{ loc: ['body'], msg: 'Body is not well-formed', type: 'json_invalid' }]);
    }
  }
}
