/** What an app asked for at /login, checked once and then carried by the attempt: forms cannot change it. */
export interface AuthorizationRequest {
  readonly redirectUri: string;
  readonly state: string | null;
  /** S256 challenge (RFC 7636). */
  readonly codeChallenge: string | null;
  readonly deviceId: string | null;
  /** Asked in OpenID Connect's words (`response_type=code`): native schemes get a code too, errors use its names. */
  readonly openid: boolean;
  /** Space-separated, null where not given. */
  readonly scope: string | null;
  readonly nonce: string | null;
  readonly loginHint: string | null;
  /** `login` forces credentials, `none` forbids any page. */
  readonly prompt: 'login' | 'none' | null;
  /** Seconds since the last credentials, at most. */
  readonly maxAge: number | null;
}
