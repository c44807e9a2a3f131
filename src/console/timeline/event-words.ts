import { quantity } from '../../common/pages/quantity.js';
import { PROVIDER_LABELS, type ProviderName, PROVIDERS } from '../../config/provider-settings.js';
import type { EventFacts } from './event-facts.js';

export type Metadata = EventFacts['metadata'];

const REASONS: Readonly<Record<string, string>> = {
  invalid_credentials: 'wrong password',
  suspended: 'suspended in the app',
  not_enrolled: 'not a member of the app',
  pending: 'the access request is pending',
  user_inactive: 'the account is switched off',
  app_closed: 'the app or its tenant is switched off',
  second_factor_required: 'a second factor is required but not set up',
  wrong_secret: 'wrong client secret',
  wrong_method: 'not the app’s way to authenticate',
  assertion_malformed: 'client assertion cannot be read',
  assertion_algorithm: 'client assertion with an algorithm that is not supported',
  assertion_issuer: 'client assertion of another client',
  assertion_audience: 'client assertion for another audience',
  assertion_times: 'client assertion expired, too long or not yet valid',
  assertion_unknown_key: 'client assertion by an unknown key',
  assertion_signature: 'client assertion with a wrong signature',
  assertion_replayed: 'client assertion used twice',
  switched_off: 'the app or its tenant is switched off',
};
const METHODS: Readonly<Record<string, string>> = {
  pwd: 'a password',
  otp: 'a second-factor code',
  hwk: 'a passkey',
  swk: 'a passkey',
  user: '',
  mfa: '',
  fed: '',
  unprompted: '',
  email: 'a sign-in link',
};
const CHANNELS: Readonly<Record<string, string>> = {
  api: 'through the API',
  sso: 'by single sign-on',
  account: 'to the account page',
  device: 'on a device',
};

/** `with a password and Google`; null if the entry contains no method. */
export function withMethods(metadata: Metadata): string | null {
  const amr = Array.isArray(metadata['amr']) ? (metadata['amr'] as unknown[]).map(text) : [];
  const named = amr.map((method) => METHODS[method] ?? providerOf(method)).filter((method) => method !== '');
  return named.length > 0 ? `with ${named.join(' and ')}` : null;
}

/** The channel of a sign-in that did not use the hosted pages. */
export function channelOf({ via }: Metadata): string | null {
  return CHANNELS[text(via)] ?? null;
}

/** The label of a provider; an unknown name is returned unchanged. */
export function providerOf(name: unknown): string {
  return PROVIDERS.some((each) => each === name) ? PROVIDER_LABELS[name as ProviderName] : text(name);
}

export function reason(metadata: Metadata): string {
  const code = text(metadata['reason']);
  return REASONS[code] ?? (code.replaceAll('_', ' ') || 'no reason was recorded');
}

/** Null for an entry about a single refusal. */
export function timesOf(count: unknown): string | null {
  return number(count) > 1 ? quantity(number(count), 'time', 'times') : null;
}

/** Null for an empty list. */
export function listed(values: unknown): string | null {
  return Array.isArray(values) && values.length > 0 ? values.map(text).join(', ') : null;
}

/** Names of changed fields as text. */
export function fieldsOf({ fields }: Metadata): string | null {
  return listed(fields)?.replaceAll('_', ' ') ?? null;
}

/** Null for none. */
export function someApps(count: number): string | null {
  return count > 0 ? quantity(count, 'app', 'apps') : null;
}

export function minutes(seconds: unknown): string {
  return quantity(Math.max(1, Math.ceil(number(seconds) / 60)), 'minute', 'minutes');
}

/** Old entries may lack fields that newer ones have. */
export function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

export function textOrNull(value: unknown): string | null {
  return text(value) || null;
}

export function number(value: unknown): number {
  return typeof value === 'number' ? value : 0;
}
