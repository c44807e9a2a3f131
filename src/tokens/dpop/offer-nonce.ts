import type { NextFunction, Request, Response } from 'express';
import type { DpopNonces } from './dpop-nonces.js';

const EXPOSED = 'Access-Control-Expose-Headers';

/** Every answer to a request with a proof brings the nonce of the next one (RFC 9449 section 8.2). Behind `cors`. */
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
