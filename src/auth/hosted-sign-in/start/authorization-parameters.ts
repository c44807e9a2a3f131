import { applyDecorators } from '@nestjs/common';
import { ApiQuery, type ApiQueryOptions } from '@nestjs/swagger';
import { ACR_VALUES, PHISHING_RESISTANT } from '../../../tokens/protocol/acr.rules.js';
import { PROMPTS, RESPONSE_MODES } from '../../../tokens/protocol/authorization-endpoint.js';
import { USER_SCOPES } from '../../../tokens/protocol/scopes.rules.js';
import { USER_CLAIMS } from '../../../tokens/protocol/user-claims.rules.js';

interface Parameter {
  readonly description?: string;
  readonly example?: string;
  readonly enum?: readonly string[];
  readonly schema?: { readonly type: 'string'; readonly format: 'uuid' };
}

const REQUIRED: Readonly<Record<string, Parameter>> = {
  app_id: {
    description: 'Id of the app. `client_id` is another name for it',
    schema: { type: 'string', format: 'uuid' },
  },
  redirect_uri: {
    description:
      'A registered redirect URI. http(s) URIs get a `code`; native schemes without `code_challenge` get tokens',
  },
};

const OPTIONAL: Readonly<Record<string, Parameter>> = {
  state: { description: 'Returned unchanged' },
  code_challenge: {
    description: 'Base64url SHA-256 of the verifier (RFC 7636); required if the app has `require_pkce`',
  },
  code_challenge_method: { enum: ['S256'] },
  response_mode: { enum: RESPONSE_MODES, description: 'Default `query`; also used for errors' },
  prompt: { enum: PROMPTS, description: 'One or more, separated by spaces' },
  device_id: { description: 'A stable id of the client; the refresh tokens are bound to it' },
  response_type: { enum: ['code'], description: 'Send `client_id` to get OpenID Connect' },
  scope: {
    example: 'openid profile email',
    description: `${USER_SCOPES.join(', ')}. Others are ignored; the token response says which were granted`,
  },
  resource: {
    description:
      'Identifier of a protected resource (RFC 8707) from `config.resources`; the access tokens are only for it',
  },
  claims: {
    example: '{"id_token":{"email":{"essential":true}}}',
    description: `JSON (OpenID Connect Core 5.5), with the scope openid. Claims: ${USER_CLAIMS.join(', ')}, for \`userinfo\` and \`id_token\``,
  },
  acr_values: {
    example: PHISHING_RESISTANT,
    description: `${ACR_VALUES.join(', ')}, preferred first. Voluntary: users who can meet it are asked to`,
  },
  dpop_jkt: { description: 'Thumbprint of the key that the code is bound to (RFC 9449)' },
  nonce: { description: 'Returned in the ID token' },
  login_hint: { description: 'E-mail address to prefill' },
  id_token_hint: { description: 'Only the user of this ID token can sign in' },
  ui_locales: {
    example: 'de en',
    description: 'Languages of the pages, preferred first, from `ui_locales_supported`; others are ignored',
  },
  invite_code: { description: 'Invite code to prefill' },
  max_age: { description: 'Maximum age of the authentication in seconds. An older one requires a new sign-in' },
};

/** The parameters of the authorization endpoint, for the OpenAPI document. */
export function AuthorizationParameters(): MethodDecorator {
  const queries = (parameters: Readonly<Record<string, Parameter>>, required: boolean) =>
    Object.entries(parameters).map(([name, parameter]) =>
      ApiQuery({ ...parameter, name, required } as ApiQueryOptions),
    );
  return applyDecorators(...queries(REQUIRED, true), ...queries(OPTIONAL, false));
}
