import { hashOpaqueToken, matchesHash } from '../../crypto/opaque-token.js';

/** Compares the header `Authorization` with METRICS_TOKEN, in constant time. */
export class MetricsToken {
  private readonly expected: Buffer;

  constructor(token: string) {
    this.expected = hashOpaqueToken(token);
  }

  /** @param header of the request; only the scheme Bearer counts (RFC 6750, section 2.1) */
  isIn(header: string | undefined): boolean {
    const token = /^bearer +([^\s]+)$/i.exec(header ?? '')?.[1];
    return token !== undefined && matchesHash(token, this.expected);
  }
}
