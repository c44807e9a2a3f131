import { isUuid } from '../../common/validation/fields.js';
import { matchesRedirectUri, withParameters } from '../../apps/app/redirect-uri.rules.js';

/** Parameters as the query or form parser left them: a repeated one is a list. */
export type RawParameters = Readonly<Record<string, unknown>>;

/** OpenID Connect RP-Initiated Logout 1.0, section 2; others are ignored. */
const LOGOUT_PARAMETERS = [
  'id_token_hint',
  'client_id',
  'post_logout_redirect_uri',
  'state',
  'logout_hint',
  'ui_locales',
] as const;
const LIMITS: Readonly<Record<string, number>> = { id_token_hint: 8192, state: 8192, post_logout_redirect_uri: 2048 };

/** What was sent, each once. An empty value is none. */
export interface SentParameters {
  readonly idTokenHint: string | null;
  readonly clientId: string | null;
  readonly target: string | null;
  readonly state: string | null;
}

export interface LogoutFault {
  readonly parameter: string;
  readonly received: string;
  readonly problem: 'repeated' | 'too_long' | 'not_registered' | 'other_client';
}

export function readParameters(raw: RawParameters): { sent: SentParameters } | { fault: LogoutFault } {
  for (const parameter of LOGOUT_PARAMETERS) {
    const value = raw[parameter];
    if (value !== undefined && typeof value !== 'string')
      return { fault: { parameter, received: '', problem: 'repeated' } };
    if (value !== undefined && value.length > (LIMITS[parameter] ?? 512))
      return { fault: { parameter, received: '', problem: 'too_long' } };
  }
  const text = (name: string) => (raw[name] as string | undefined) || null;
  return {
    sent: {
      idTokenHint: text('id_token_hint'),
      clientId: text('client_id'),
      target: text('post_logout_redirect_uri'),
      state: text('state'),
    },
  };
}

/** The request's own parameters as a query, repetitions included. */
export function logoutQuery(raw: RawParameters): string {
  const query = new URLSearchParams();
  for (const name of LOGOUT_PARAMETERS)
    for (const value of [raw[name]].flat()) if (typeof value === 'string') query.append(name, value);
  return query.toString();
}

/**
 * Which app asks: the one whose ID token came back, or the one that is named. A hint that proves nothing counts as none.
 * @param audience of a hint that was verified
 */
export function judgeClient(
  { clientId }: SentParameters,
  audience: string | null,
): { appId: string | null } | { fault: LogoutFault } {
  // The address of a document may have capitals (RFC 3986 section 6.2.2.1); those of a UUID mean nothing.
  const named = isUuid(clientId) ? clientId.toLowerCase() : clientId;
  if (audience !== null && named !== null && named !== audience)
    return { fault: { parameter: 'client_id', received: clientId!, problem: 'other_client' } };
  return { appId: audience ?? named };
}

/**
 * Where the browser goes after the sign-out; null: it stays with us, because nothing was asked or it is unknown whose
 * address it is.
 * @param registered of the app that asks, null where none is known
 */
export function judgeTarget(
  { target, state }: SentParameters,
  registered: readonly string[] | null,
  baseUrl: string,
): { uri: string | null } | { fault: LogoutFault } {
  if (target === null || registered === null) return { uri: null };
  if (!matchesRedirectUri(registered, target, baseUrl))
    return { fault: { parameter: 'post_logout_redirect_uri', received: target, problem: 'not_registered' } };
  return { uri: state === null ? target : withParameters(target, { state }) };
}

/**
 * Whether it is done at once. Only an ID token of this very session proves that the request comes from an app that the browser
 * signed in to (section 2); anything else could be a link on any page, with a token of the same user from elsewhere.
 */
export function judgeLogout(
  session: { readonly userId: string; readonly sid: string } | null,
  hint: { readonly sub: string; readonly sid?: string } | null,
): 'nothing_to_end' | 'sign_out' | 'ask' {
  if (session === null) return 'nothing_to_end';
  return session.userId === hint?.sub && session.sid === hint.sid ? 'sign_out' : 'ask';
}
