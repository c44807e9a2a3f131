import { Inject, Injectable } from '@nestjs/common';
import { CLIENT_SIGNING_ALGORITHMS } from '../../apps/client-keys.rules.js';
import { DocumentTrust } from '../../apps/document-trust.js';
import { Clock } from '../../common/clock.js';
import type { DocumentSources } from '../../common/http/early-documents.js';
import { type PreparedDocument, prepareDocument } from '../../common/http/prepared-document.js';
import { Messages } from '../../common/i18n/messages.js';
import { SETTINGS, type Settings } from '../../config/settings.js';
import { SERVICE_SCOPES } from '../../common/http/access-marks.js';
import { ACR_VALUES } from '../protocol/acr.rules.js';
import { PROMPTS, RESPONSE_MODES, RESPONSE_TYPES } from '../protocol/authorization-endpoint.js';
import { GRANT_TYPES } from '../grants/token-grants.service.js';
import { PERSON_CLAIMS } from '../protocol/person-claims.rules.js';
import { CLAIM_DESTINATIONS } from '../protocol/requested-claims.rules.js';
import { PERSON_SCOPES } from '../protocol/scopes.rules.js';
import { SigningKeys, type UsableKey } from '../keys/signing-keys.js';
import { CLIENT_AUTHENTICATION_METHODS } from './presented-client.js';

/** The two public documents, kept ready: most requests that the service ever sees ask for them. */
@Injectable()
export class DiscoveryDocuments {
  private readonly configurations: Readonly<Record<'with' | 'without', PreparedDocument>>;
  private keySet: {
    readonly of: readonly UsableKey[];
    readonly until: number;
    readonly document: PreparedDocument;
  } | null = null;

  constructor(
    private readonly keys: SigningKeys,
    private readonly clock: Clock,
    private readonly trust: DocumentTrust,
    messages: Messages,
    @Inject(SETTINGS) settings: Settings,
  ) {
    const metadata = (isOn: boolean) => prepareDocument(serverMetadata(settings.baseUrl, messages.locales, isOn));
    this.configurations = { with: metadata(true), without: metadata(false) };
  }

  get configuration(): PreparedDocument {
    return this.configurations[this.trust.isOn ? 'with' : 'without'];
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

  /** RFC 7517. Public parts only. */
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

/** Claims of every ID token; those of the person come with the scopes. */
const ID_TOKEN_CLAIMS = ['sub', 'iss', 'aud', 'exp', 'iat', 'auth_time', 'nonce', 'amr', 'acr', 'at_hash', 'sid'];
const AUTHENTICATED = CLIENT_AUTHENTICATION_METHODS.filter((method) => method !== 'none');

/**
 * OpenID Connect Discovery section 3 and RFC 8414 section 2. Every list is the one that the code goes by which does it,
 * so that nothing is promised that is not done, and nothing done that is not said.
 */
function serverMetadata(issuer: string, uiLocales: readonly string[], takesDocuments: boolean) {
  return {
    issuer,
    authorization_endpoint: `${issuer}/login`,
    token_endpoint: `${issuer}/auth/token`,
    token_endpoint_auth_methods_supported: CLIENT_AUTHENTICATION_METHODS,
    token_endpoint_auth_signing_alg_values_supported: CLIENT_SIGNING_ALGORITHMS,
    pushed_authorization_request_endpoint: `${issuer}/auth/par`,
    require_pushed_authorization_requests: false,
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
    scopes_supported: [...PERSON_SCOPES, ...SERVICE_SCOPES],
    grant_types_supported: GRANT_TYPES,
    code_challenge_methods_supported: ['S256'],
    claims_supported: [...ID_TOKEN_CLAIMS, ...PERSON_CLAIMS],
    authorization_response_iss_parameter_supported: true,
    client_id_metadata_document_supported: takesDocuments,
    dpop_signing_alg_values_supported: CLIENT_SIGNING_ALGORITHMS,
    acr_values_supported: ACR_VALUES,
    prompt_values_supported: PROMPTS,
    claims_parameter_supported: CLAIM_DESTINATIONS.length > 0,
    request_parameter_supported: false,
    request_uri_parameter_supported: false,
    service_documentation: `${issuer}/docs`,
  };
}
