import { deliveryOf } from '../../../apps/app/redirect-uri.rules.js';
import { withoutEmpty } from '../../../common/http/bodies/oauth-forms.js';
import { RESPONSE_MODES, type ResponseMode } from '../../../tokens/protocol/authorization-endpoint.js';

/**
 * The response mode; null: it does not exist, or a form for an app on a device, to which nothing can be posted.
 * @param raw parameters of a request at /login
 */
export function responseModeOf(raw: Readonly<Record<string, unknown>>, redirectUri: string): ResponseMode | null {
  const { response_type: type, response_mode: asked = defaultModeFor(type) } = withoutEmpty(raw);
  if (asked === 'form_post' && deliveryOf(redirectUri) === 'native') return null;
  return RESPONSE_MODES.find((known) => known === asked) ?? null;
}

/**
 * Without a `response_mode`, and for the error of one that does not exist. Clients that ask for tokens read the
 * fragment, also for errors (RFC 6749 section 4.2.2.1, OAuth 2.0 Multiple Response Type Encoding Practices section 5).
 */
export function defaultModeFor(type: unknown): ResponseMode {
  const words = typeof type === 'string' ? type.split(' ') : [];
  return words.includes('token') || words.includes('id_token') ? 'fragment' : 'query';
}
