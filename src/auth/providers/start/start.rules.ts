import { cleanDisplayName } from '../../../users/display-name.rules.js';
import type { RawParameters } from '../../hosted-sign-in/authorization-request/authorization-request.rules.js';

/** The accepted values of `prompt` (OpenID Connect Core 3.1.2.1). */
const PROMPTS = new Set(['none', 'login', 'consent', 'select_account']);

/** The parameters of an app that are passed on to the provider. Google supports more of them than the others. */
export interface ProviderHints {
  readonly loginHint: string | null;
  readonly prompt: string | null;
}

/**
 * Reads `login_hint` and `prompt`. Accepts only known values, and a hint that is a single line of limited length.
 * @returns `fault` names the parameter that is invalid
 */
export function readHints(raw: RawParameters): ProviderHints | { readonly fault: string } {
  const { prompt, login_hint: loginHint } = raw;
  const words = typeof prompt === 'string' ? prompt.split(' ').filter((word) => word !== '') : [];
  if (words.some((word) => !PROMPTS.has(word)) || new Set(words).size !== words.length) return { fault: 'prompt' };
  if (words.includes('none') && words.length > 1) return { fault: 'prompt' };
  if (typeof loginHint === 'string' && !isHint(loginHint)) return { fault: 'login_hint' };
  return {
    loginHint: typeof loginHint === 'string' && loginHint !== '' ? loginHint : null,
    prompt: words.length > 0 ? words.join(' ') : null,
  };
}

/** Accepts an e-mail address, a telephone number or an opaque id. */
export function isHint(text: string): boolean {
  return text.length <= 320 && !/[\p{Cc}\p{Zl}\p{Zp}]/u.test(text);
}

/**
 * Removes the parameters that only Google gets. `prompt=login` stays: the app requires credentials, and if the provider
 * does not ask for them, this service does (docs/decisions/0096).
 */
export function withoutHints(raw: RawParameters): RawParameters {
  const { prompt, login_hint: _loginHint, ...rest } = raw;
  return typeof prompt === 'string' && prompt.split(' ').includes('login') ? { ...rest, prompt: 'login' } : rest;
}

/**
 * Maps an error of the provider to the one that the app gets (RFC 6749 section 4.1.2.1, OpenID Connect Core 3.1.2.6).
 */
export function reasonOf(error: string): 'access_denied' | 'login_required' | 'provider_error' {
  switch (error) {
    case 'access_denied':
    case 'user_cancelled_authorize':
    case 'user_cancelled_login':
      return 'access_denied';
    case 'login_required':
    case 'interaction_required':
    case 'consent_required':
    case 'account_selection_required':
    case 'interaction_failed':
      return 'login_required';
    default:
      return 'provider_error';
  }
}

/**
 * Reads the name from `user`, which Apple sends only once: JSON in a form field. A browser posts it, so nothing else in
 * it is used.
 */
export function readPostedName(user: unknown): string | null {
  if (typeof user !== 'string' || user.length > 4096) return null;
  try {
    const { name } = JSON.parse(user) as { name?: { firstName?: unknown; lastName?: unknown } };
    const parts = [name?.firstName, name?.lastName].filter((part) => typeof part === 'string');
    return cleanDisplayName(parts.join(' '));
  } catch {
    return null;
  }
}
