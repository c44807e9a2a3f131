import { createHash } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { Clock } from '../../common/clock.js';
import { SETTINGS, type Settings } from '../../config/settings.js';
import { SigningKeys, type UsableKey } from '../keys/signing-keys.js';

/** A document ready to send. */
export interface PreparedDocument {
  readonly body: Buffer;
  readonly etag: string;
}

/** The two public documents, kept as bytes: most requests that the service ever sees ask for them. */
@Injectable()
export class DiscoveryDocuments {
  readonly configuration: PreparedDocument;
  private keySet: {
    readonly of: readonly UsableKey[];
    readonly until: number;
    readonly document: PreparedDocument;
  } | null = null;

  constructor(
    private readonly keys: SigningKeys,
    private readonly clock: Clock,
    @Inject(SETTINGS) settings: Settings,
  ) {
    this.configuration = prepare(openidConfiguration(settings.baseUrl));
  }

  /** RFC 7517. Public parts only. */
  jwks(): PreparedDocument {
    const of = this.keys.published();
    const now = this.clock.now().getTime();
    if (this.keySet?.of !== of || now >= this.keySet.until) {
      const alive = of.filter((key) => key.retiresAt > now);
      const document = prepare({
        keys: alive.map(({ kid, publicJwk: { kty, n, e } }) => ({ kty, use: 'sig', alg: 'RS256', kid, n, e })),
      });
      this.keySet = { of, until: Math.min(...alive.map((key) => key.retiresAt)), document };
    }
    return this.keySet.document;
  }
}

/** OpenID Connect Discovery section 3; the arrays that the specification lists are kept as listed. */
function openidConfiguration(issuer: string) {
  return {
    issuer,
    authorization_endpoint: `${issuer}/login`,
    token_endpoint: `${issuer}/auth/token`,
    userinfo_endpoint: `${issuer}/userinfo`,
    jwks_uri: `${issuer}/.well-known/jwks.json`,
    revocation_endpoint: `${issuer}/token/revoke`,
    introspection_endpoint: `${issuer}/token/introspect`,
    introspection_endpoint_auth_methods_supported: ['client_secret_post', 'client_secret_basic'],
    end_session_endpoint: `${issuer}/logout`,
    backchannel_logout_supported: true,
    backchannel_logout_session_supported: true,
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['RS256'],
    scopes_supported: ['openid', 'profile', 'email', 'roles', 'push:send'],
    token_endpoint_auth_methods_supported: ['client_secret_post'],
    grant_types_supported: ['authorization_code', 'refresh_token', 'client_credentials'],
    code_challenge_methods_supported: ['S256'],
    claims_supported: [
      'sub',
      'iss',
      'aud',
      'exp',
      'iat',
      'auth_time',
      'nonce',
      'amr',
      'at_hash',
      'sid',
      'email',
      'email_verified',
      'name',
      'updated_at',
      'roles',
    ],
    authorization_response_iss_parameter_supported: true,
    prompt_values_supported: ['none', 'login'],
    claims_parameter_supported: false,
    request_parameter_supported: false,
    request_uri_parameter_supported: false,
    service_documentation: `${issuer}/docs`,
  };
}

function prepare(document: object): PreparedDocument {
  const body = Buffer.from(JSON.stringify(document));
  return { body, etag: `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"` };
}
