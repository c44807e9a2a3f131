import { Inject, Injectable } from '@nestjs/common';
import { CLIENT_SIGNING_ALGORITHMS } from '../../common/client-signing-algorithms.js';
import { ClientTrust } from '../../apps/self-registered/client-trust.js';
import { Clock } from '../../common/clock.js';
import type { DocumentSources } from '../../common/http/express/early-documents.js';
import { type PreparedDocument, prepareDocument } from '../../common/http/express/prepared-document.js';
import { Messages } from '../../common/i18n/messages.js';
import { SETTINGS, type Settings } from '../../config/settings.js';
import { SERVICE_SCOPES } from '../../common/http/access-marks.js';
import type { AcceptedClients } from '../../tenants/accepted-clients.js';
import { ACR_VALUES } from '../protocol/acr.rules.js';
import { PROMPTS, RESPONSE_MODES, RESPONSE_TYPES } from '../protocol/authorization-endpoint.js';
import { GRANT_TYPES } from '../grants/token-grants.service.js';
import { USER_CLAIMS } from '../protocol/user-claims.rules.js';
import { CLAIM_DESTINATIONS } from '../protocol/requested-claims.rules.js';
import { USER_SCOPES } from '../protocol/scopes.rules.js';
import { SigningKeys, type UsableKey } from '../keys/signing-keys.js';
import { CLIENT_AUTHENTICATION_METHODS } from './clients/presented-client.js';

/** The two public documents, prepared because most requests are for them. */
@Injectable()
export class DiscoveryDocuments {
  /** Keyed by the ways to register that are accepted. */
  private readonly configurations: ReadonlyMap<string, PreparedDocument>;
  private keySet: {
    readonly of: readonly UsableKey[];
    readonly until: number;
    readonly document: PreparedDocument;
  } | null = null;

  constructor(
    private readonly keys: SigningKeys,
    private readonly clock: Clock,
    private readonly trust: ClientTrust,
    messages: Messages,
    @Inject(SETTINGS) settings: Settings,
  ) {
    this.configurations = new Map(
      EVERY_TRUST.map((accepted) => {
        const metadata = serverMetadata(settings.baseUrl, messages.locales, accepted);
        return [trustKey(accepted), prepareDocument(metadata)];
      }),
    );
  }

  get configuration(): PreparedDocument {
    return this.configurations.get(trustKey(this.trust.takes))!;
  }

  /** By the paths of DiscoveryController. */
  get sources(): DocumentSources {
    const configuration = () => this.configuration;
    return new Map([
      ['/.well-known/jwks.json', () => this.jwks()],
      ['/.well-known/openid-configuration', configuration],
      ['/.well-known/oauth-authorization-server', configuration],
    ]);
  }

  /** RFC 7517, public keys only. */
  jwks(): PreparedDocument {
    const of = this.keys.published();
    const now = this.clock.now().getTime();
    if (this.keySet?.of !== of || now >= this.keySet.until) {
      const alive = of.filter((key) => key.retiresAt > now);
      const document = prepareDocument({
        keys: alive.map(({ kid, publicJwk: { kty, n, e } }) => ({ kty, use: 'sig', alg: 'RS256', kid, n, e })),
      });
      this.keySet = { of, until: Math.min(...alive.map((key) => key.retiresAt)), document };
    }
    return this.keySet.document;
  }
}

const EVERY_TRUST = [true, false].flatMap((documents) =>
  [true, false].map((registrations): AcceptedClients => ({ documents, registrations })),
);

function trustKey({ documents, registrations }: AcceptedClients): string {
  return `${documents} ${registrations}`;
}

/** Claims of every ID token; the user's claims depend on the scopes. */
const ID_TOKEN_CLAIMS = ['sub', 'iss', 'aud', 'exp', 'iat', 'auth_time', 'nonce', 'amr', 'acr', 'at_hash', 'sid'];
const AUTHENTICATED = CLIENT_AUTHENTICATION_METHODS.filter((method) => method !== 'none');

/**
 * OpenID Connect Discovery section 3 and RFC 8414 section 2. Every list is the one that the implementing code uses, so
 * that the document matches what the service does.
 */
function serverMetadata(issuer: string, uiLocales: readonly string[], accepted: AcceptedClients) {
  return {
    issuer,
    authorization_endpoint: `${issuer}/login`,
    token_endpoint: `${issuer}/auth/token`,
    token_endpoint_auth_methods_supported: CLIENT_AUTHENTICATION_METHODS,
    token_endpoint_auth_signing_alg_values_supported: CLIENT_SIGNING_ALGORITHMS,
    pushed_authorization_request_endpoint: `${issuer}/auth/par`,
    require_pushed_authorization_requests: false,
    ...(accepted.registrations ? { registration_endpoint: `${issuer}/auth/register` } : {}),
    device_authorization_endpoint: `${issuer}/auth/device-authorization`,
    userinfo_endpoint: `${issuer}/userinfo`,
    jwks_uri: `${issuer}/.well-known/jwks.json`,
    revocation_endpoint: `${issuer}/token/revoke`,
    revocation_endpoint_auth_methods_supported: CLIENT_AUTHENTICATION_METHODS,
    revocation_endpoint_auth_signing_alg_values_supported: CLIENT_SIGNING_ALGORITHMS,
    introspection_endpoint: `${issuer}/token/introspect`,
    introspection_endpoint_auth_methods_supported: AUTHENTICATED,
    introspection_endpoint_auth_signing_alg_values_supported: CLIENT_SIGNING_ALGORITHMS,
    end_session_endpoint: `${issuer}/logout`,
    backchannel_logout_supported: true,
    backchannel_logout_session_supported: true,
    response_types_supported: RESPONSE_TYPES,
    response_modes_supported: RESPONSE_MODES,
    ui_locales_supported: uiLocales,
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['RS256'],
    scopes_supported: [...USER_SCOPES, ...SERVICE_SCOPES],
    grant_types_supported: GRANT_TYPES,
    code_challenge_methods_supported: ['S256'],
    claims_supported: [...ID_TOKEN_CLAIMS, ...USER_CLAIMS],
    authorization_response_iss_parameter_supported: true,
    client_id_metadata_document_supported: accepted.documents,
    dpop_signing_alg_values_supported: CLIENT_SIGNING_ALGORITHMS,
    acr_values_supported: ACR_VALUES,
    prompt_values_supported: PROMPTS,
    claims_parameter_supported: CLAIM_DESTINATIONS.length > 0,
    request_parameter_supported: false,
    request_uri_parameter_supported: false,
    service_documentation: `${issuer}/docs`,
  };
}
