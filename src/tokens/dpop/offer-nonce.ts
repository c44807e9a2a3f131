import type { NextFunction, Request, Response } from 'express';
import type { DpopNonces } from './dpop-nonces.js';

const EXPOSED = 'Access-Control-Expose-Headers';

/** Adds the next nonce to every answer to a request with a proof (RFC 9449 section 8.2). Must come after `cors`. */
export function offerNonce(nonces: DpopNonces) {
  return ({ headers }: Request, response: Response, next: NextFunction): void => {
    if (headers['dpop'] !== undefined) {
      response.setHeader('DPoP-Nonce', nonces.current());
      const exposed = response.getHeader(EXPOSED);
      if (exposed !== undefined) response.setHeader(EXPOSED, `${String(exposed)}, DPoP-Nonce`);
    }
    next();
  };
}
