import type { AppConfig } from '../../../apps/app/app-config.js';
import { demandsPkce } from '../../../apps/settings/app-config.rules.js';
import { deliveryOf, matchesRedirectUri } from '../../../apps/app/redirect-uri.rules.js';
import { withOneResource, withoutEmpty } from '../../../common/http/bodies/oauth-forms.js';
import { isUuid } from '../../../common/validation/fields.js';
import { PROMPTS, RESPONSE_TYPES } from '../../../tokens/protocol/authorization-endpoint.js';
import { KEY_THUMBPRINT } from '../../../tokens/dpop/dpop-proof.rules.js';
import { CODE_CHALLENGE } from '../../../tokens/grants/authorization-code/pkce.rules.js';
import { knownAcrs, type RequestedAcr } from '../../../tokens/protocol/acr.rules.js';
import { readClaims } from '../../../tokens/protocol/requested-claims.rules.js';
import { grantedScope } from '../../../tokens/protocol/scopes.rules.js';
import type { ProtectedResource } from '../../../tenants/protected-resource.rules.js';
import type { AuthorizationRequest } from './authorization-request.js';
import { responseModeOf } from './response-mode.rules.js';

/** Parameters from the query or form parser: a repeated one is a list. */
export type RawParameters = Readonly<Record<string, unknown>>;

/** Why no redirect is possible: shown to the developer who integrates. */
export interface PageFault {
  readonly parameter: 'app_id' | 'redirect_uri' | 'request_uri';
  readonly received: string;
  readonly problem: 'missing' | 'repeated' | 'malformed' | 'unknown' | 'switched_off' | 'not_registered' | 'spent';
}

/** For an id of no app, or of an app that is switched off. */
export function closedAppFault(appId: string, client: object | null): PageFault {
  return { parameter: 'app_id', received: appId, problem: client ? 'switched_off' : 'unknown' };
}

/** The app's id from `app_id` or `client_id`, or why there is none. */
export function readAppId(raw: RawParameters): { appId: string } | { fault: PageFault } {
  const given = ['app_id', 'client_id'].map((name) => raw[name]).filter((value) => value !== undefined && value !== '');
  const fault = (problem: PageFault['problem']) => ({
    fault: { parameter: 'app_id' as const, received: shown(given), problem },
  });
  if (given.length === 0) return fault('missing');
  if (given.some((value) => typeof value !== 'string')) return fault('repeated');
  if (!given.every(isUuid)) return fault('malformed');
  const [appId, ...others] = given.map((value) => value.toLowerCase());
  return others.every((other) => other === appId) ? { appId: appId! } : fault('repeated');
}

export function readRedirectUri(
  raw: RawParameters,
  registered: readonly string[],
  baseUrl: string,
): { redirectUri: string } | { fault: PageFault } {
  const given = raw['redirect_uri'];
  const fault = (problem: PageFault['problem']) => ({
    fault: { parameter: 'redirect_uri' as const, received: shown([given]), problem },
  });
  if (given === undefined || given === '') return fault('missing');
  if (typeof given !== 'string') return fault('repeated');
  return matchesRedirectUri(registered, given, baseUrl) ? { redirectUri: given } : fault('not_registered');
}

/** An error that is sent to the app, because the redirect URI is valid. */
export interface RequestFault {
  readonly error: string;
  readonly description: string;
}

const SINGLE = [
  'state',
  'code_challenge',
  'code_challenge_method',
  'device_id',
  'prompt',
  'response_type',
  'scope',
  'claims',
  'acr_values',
  'nonce',
  'login_hint',
  'max_age',
  'resource',
  'response_mode',
  'invite_code',
  'id_token_hint',
  'ui_locales',
  'dpop_jkt',
];
const LIMITS: Readonly<Record<string, number>> = {
  state: 8192,
  device_id: 256,
  prompt: 128,
  scope: 1024,
  resource: 512,
  claims: 4096,
  acr_values: 1024,
  nonce: 512,
  login_hint: 320,
  id_token_hint: 8192,
  invite_code: 64,
  ui_locales: 512,
};

/**
 * The rest of the request. Unknown parameters and those without a value are ignored (RFC 6749 section 3.1).
 * @param pushed by the app itself (RFC 9126), not sent by the browser
 * @param resources for which the app may request tokens
 */
export function readRequest(
  given: RawParameters,
  redirectUri: string,
  config: Pick<AppConfig, 'require_pkce' | 'require_par' | 'client_type'>,
  pushed = false,
  resources: readonly ProtectedResource[] = [],
): { request: AuthorizationRequest } | { fault: RequestFault } {
  const raw = withOneResource(withoutEmpty(given));
  // A token is for one resource (RFC 8707 section 2).
  if (Array.isArray(raw['resource'])) return { fault: { error: 'invalid_target', description: 'Name one resource' } };
  const repeated = SINGLE.find((name) => raw[name] !== undefined && typeof raw[name] !== 'string');
  if (repeated) return { fault: { error: 'invalid_request', description: `${repeated} is given more than once` } };
  const text = (name: string): string | null => (typeof raw[name] === 'string' ? raw[name] : null);
  const tooLong = Object.keys(LIMITS).find((name) => (text(name)?.length ?? 0) > LIMITS[name]!);
  if (tooLong) return { fault: { error: 'invalid_request', description: `${tooLong} is too long` } };
  const openid = raw['response_type'] !== undefined || raw['client_id'] !== undefined;
  const resource = resources.find(({ identifier }) => identifier === text('resource'));
  const scope = grantedScope(text('scope'), resource?.scopes);
  const fault =
    judgeTarget(text('resource'), resource) ??
    judgeProtocol(raw, redirectUri, text, { openid, scope }) ??
    judgePush(pushed, config.require_par) ??
    judgeClaims(text('claims')) ??
    judgeKey(text('dpop_jkt')) ??
    judgePkce(text, demandsPkce(config));
  if (fault) return { fault };
  const known = { pushed, redirectUri, openid, scope, resource: resource?.identifier ?? null };
  return { request: requestOf(raw, text, known) };
}

/** The request from its parameters, which have been checked. */
function requestOf(
  raw: RawParameters,
  text: (name: string) => string | null,
  known: Pick<AuthorizationRequest, 'pushed' | 'redirectUri' | 'openid' | 'scope' | 'resource'>,
): AuthorizationRequest {
  const prompts = promptsIn(text('prompt'));
  return {
    ...known,
    purpose: 'app',
    responseMode: responseModeOf(raw, known.redirectUri) ?? 'query',
    state: text('state'),
    codeChallenge: text('code_challenge'),
    dpopJkt: text('dpop_jkt'),
    deviceId: text('device_id'),
    claims: text('claims'),
    acr: acrIn(text('claims'), text('acr_values')),
    nonce: text('nonce'),
    loginHint: text('login_hint'),
    // The user of `id_token_hint` is added by the code that can verify it.
    subject: readClaims(text('claims') ?? '{}')?.subjects ?? null,
    inviteCode: text('invite_code'),
    uiLocales: text('ui_locales'),
    prompt: prompts.has('none') ? 'none' : prompts.has('login') ? 'login' : null,
    confirm: prompts.has('consent') ? 'consent' : prompts.has('select_account') ? 'account' : null,
    create: prompts.has('create'),
    maxAge: text('max_age') === null ? null : Number(text('max_age')),
  };
}

function judgeProtocol(
  raw: RawParameters,
  redirectUri: string,
  text: (name: string) => string | null,
  { openid, scope }: { readonly openid: boolean; readonly scope: string | null },
): RequestFault | null {
  if (raw['request'] !== undefined)
    return { error: 'request_not_supported', description: 'Request objects are not supported' };
  if (raw['request_uri'] !== undefined)
    return { error: 'request_uri_not_supported', description: 'Request URIs are not supported' };
  const responseType = text('response_type');
  if (openid && responseType === null) return { error: 'invalid_request', description: 'response_type is missing' };
  if (openid && !RESPONSE_TYPES.some((known) => known === responseType))
    return { error: 'unsupported_response_type', description: 'Only response_type=code is supported' };
  if (responseModeOf(raw, redirectUri) === null)
    return { error: 'invalid_request', description: 'response_mode is not supported for this redirect_uri' };
  if (scope === '')
    return { error: 'invalid_scope', description: 'None of the requested scopes is available to users' };
  const maxAge = text('max_age');
  if (maxAge !== null && !/^\d{1,9}$/.test(maxAge))
    return { error: 'invalid_request', description: 'max_age must be a number of seconds' };
  const prompts = promptsIn(text('prompt'));
  // Initiating User Registration via OpenID Connect 1.0, section 4.1. Unknown values are only errors in requests with
  // OpenID Connect's parameters.
  const unknown = [...prompts].find((prompt) => !PROMPTS.some((known) => known === prompt));
  if (openid && unknown !== undefined) return { error: 'invalid_request', description: 'prompt has an unknown value' };
  if (prompts.has('none') && prompts.size > 1)
    return { error: 'invalid_request', description: 'prompt=none cannot be combined with other values' };
  return null;
}

/** RFC 8707 section 2. */
function judgeTarget(requested: string | null, found: ProtectedResource | undefined): RequestFault | null {
  if (requested === null || found) return null;
  return { error: 'invalid_target', description: 'The app has no resource with this identifier' };
}

/** OpenID Connect Core 5.5, and for `acr` 5.5.1.1: the app requires a value that no sign-in here can have. */
function judgeClaims(text: string | null): RequestFault | null {
  if (text === null) return null;
  const claims = readClaims(text);
  if (!claims) return { error: 'invalid_request', description: 'claims is not the JSON of OpenID Connect Core 5.5' };
  if (claims.acr?.isEssential && claims.acr.values.length === 0)
    return { error: 'unmet_authentication_requirements', description: 'No sign-in here has one of these acr' };
  return null;
}

/** The claim takes precedence over the parameter, which is always voluntary (OpenID Connect Core 3.1.2.1). */
function acrIn(claims: string | null, acrValues: string | null): RequestedAcr | null {
  const requested = readClaims(claims ?? '{}')?.acr ?? {
    values: knownAcrs((acrValues ?? '').split(' ')),
    isEssential: false,
  };
  return requested.values.length > 0 ? requested : null;
}

/** `none` must be the only value. */
function promptsIn(text: string | null): ReadonlySet<string> {
  return new Set((text ?? '').split(' ').filter((prompt) => prompt !== ''));
}

/** RFC 9449 section 10. */
function judgeKey(thumbprint: string | null): RequestFault | null {
  if (thumbprint === null || KEY_THUMBPRINT.test(thumbprint)) return null;
  return { error: 'invalid_request', description: 'dpop_jkt must be 43 base64url characters' };
}

/** RFC 9126 section 4. */
function judgePush(pushed: boolean, isNeeded: boolean): RequestFault | null {
  if (pushed || !isNeeded) return null;
  return { error: 'invalid_request', description: 'The request must be pushed first (POST /auth/par)' };
}

function judgePkce(text: (name: string) => string | null, isNeeded: boolean): RequestFault | null {
  const [challenge, method] = [text('code_challenge'), text('code_challenge_method')];
  if (challenge === null && method === null)
    return isNeeded ? { error: 'invalid_request', description: 'code_challenge is missing' } : null;
  if (method !== 'S256') return { error: 'invalid_request', description: 'code_challenge_method must be S256' };
  if (challenge === null || !CODE_CHALLENGE.test(challenge))
    return { error: 'invalid_request', description: 'code_challenge must be 43 base64url characters' };
  return null;
}

/** The request as a query, with repeated parameters, and without unrelated fields of a form. */
export function requestQuery(raw: RawParameters): string {
  const who = valuesOf(raw, ['app_id', 'client_id', 'request', 'request_uri']);
  return new URLSearchParams([...who, ...requestValues(raw)]).toString();
}

/** Names and values of the request, with repetitions, without those that identify the client. */
export function requestValues(raw: RawParameters): [string, string][] {
  return valuesOf(raw, ['redirect_uri', ...SINGLE]);
}

function valuesOf(raw: RawParameters, names: readonly string[]): [string, string][] {
  return names.flatMap((name) =>
    [raw[name]].flat().flatMap((value): [string, string][] => (typeof value === 'string' ? [[name, value]] : [])),
  );
}

/**
 * Apps with native schemes get the tokens directly, unless they used OpenID Connect's parameters or sent a PKCE
 * challenge: another app on the device may have claimed the same scheme, and cannot use a code (RFC 8252 section 8.1).
 * A confidential client must authenticate for its tokens, so it gets a code as well.
 */
export function deliversTokens(
  request: AuthorizationRequest,
  {
    client_type: clientType,
    dpop_bound_access_tokens: isBound,
  }: Pick<AppConfig, 'client_type' | 'dpop_bound_access_tokens'>,
): boolean {
  if (clientType === 'confidential') return false;
  // Tokens in a URL could not be bound to a key.
  if (isBound || request.dpopJkt) return false;
  return deliveryOf(request.redirectUri) === 'native' && !request.openid && request.codeChallenge === null;
}

function shown(given: readonly unknown[]): string {
  return given
    .flat()
    .filter((value) => value !== undefined)
    .map((value) => (typeof value === 'string' ? value : JSON.stringify(value)))
    .join(', ')
    .slice(0, 300);
}
