export interface JwtParts {
  readonly header: Record<string, unknown>;
  readonly payload: Record<string, unknown>;
  /** base64url. */
  readonly signature: string;
}

/** Without looking at the signature. */
export function readJwt(token: string): JwtParts {
  const [header, payload, signature] = token.split('.');
  const json = (part: string) => JSON.parse(Buffer.from(part, 'base64url').toString('utf8')) as Record<string, unknown>;
  return { header: json(header!), payload: json(payload!), signature: signature! };
}

/** One JSON part of a token. */
export function jwtPart(value: unknown): string {
  return Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url');
}
