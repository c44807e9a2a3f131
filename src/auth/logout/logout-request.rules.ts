import { isUuid } from '../../common/validation/fields.js';
import { matchesRedirectUri, withParameters } from '../../apps/app/redirect-uri.rules.js';

/** Parameters as the query or form parser returns them: a repeated one is an array. */
export type RawParameters = Readonly<Record<string, unknown>>;

/** Parameters of OpenID Connect RP-Initiated Logout 1.0, section 2; others are ignored. */
const LOGOUT_PARAMETERS = [
  'id_token_hint',
  'client_id',
  'post_logout_redirect_uri',
  'state',
  'logout_hint',
  'ui_locales',
] as const;
const LIMITS: Readonly<Record<string, number>> = { id_token_hint: 8192, state: 8192, post_logout_redirect_uri: 2048 };

/** The parameters of a request, each sent once. Null: not sent, or empty. */
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

/** The parameters of the request as a query string, including repeated ones. */
export function logoutQuery(raw: RawParameters): string {
  const query = new URLSearchParams();
  for (const name of LOGOUT_PARAMETERS)
    for (const value of [raw[name]].flat()) if (typeof value === 'string') query.append(name, value);
  return query.toString();
}

/**
 * The app that requests the sign-out: the audience of the ID token, or the app that `client_id` names. An ID token that
 * was not verified counts as absent.
 * @param audience of the verified ID token; null: none
 */
export function judgeClient(
  { clientId }: SentParameters,
  audience: string | null,
): { appId: string | null } | { fault: LogoutFault } {
  // In the URL of a metadata document, case matters (RFC 3986 section 6.2.2.1); in a UUID it does not.
  const named = isUuid(clientId) ? clientId.toLowerCase() : clientId;
  if (audience !== null && named !== null && named !== audience)
    return { fault: { parameter: 'client_id', received: clientId!, problem: 'other_client' } };
  return { appId: audience ?? named };
}

/**
 * Where the browser continues after the sign-out. Null: it stays here, because no address was requested or it is
 * unknown which app the address belongs to.
 * @param registered addresses of the app that requests the sign-out; null: no app is known
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
 * Whether to sign out at once or to ask the user. Only an ID token of this session proves that the request comes from
 * an app that the browser signed in to (section 2). Any other request could be a link on any page, with an ID token of
 * the same user from another session.
 */
export function judgeLogout(
  session: { readonly userId: string; readonly sid: string } | null,
  hint: { readonly sub: string; readonly sid?: string } | null,
): 'nothing_to_end' | 'sign_out' | 'ask' {
  if (session === null) return 'nothing_to_end';
  return session.userId === hint?.sub && session.sid === hint.sid ? 'sign_out' : 'ask';
}
