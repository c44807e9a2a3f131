import { PROVIDER_LABELS, type ProviderName, PROVIDERS } from '../../config/provider-settings.js';
import type { TimelineFacts, TimelineSentence } from './timeline-facts.js';

const REASONS: Readonly<Record<string, string>> = {
  invalid_credentials: 'wrong password',
  suspended: 'suspended in the app',
  not_enrolled: 'not enrolled in the app',
  pending: 'the access request is pending',
  user_inactive: 'the account is switched off',
  app_closed: 'the app or its tenant is switched off',
  second_factor_required: 'a second factor is required but not set up',
};
const METHODS: Readonly<Record<string, string>> = {
  pwd: 'a password',
  otp: 'a second-factor code',
  mfa: '',
  fed: '',
  email: 'an e-mailed link',
};
export const SIGN_IN_CHANNELS: Readonly<Record<string, string>> = {
  api: 'through the API',
  hosted: '',
  sso: 'by single sign-on',
  account: 'to the account page',
};

export function sessionEnded({ metadata, app, by }: TimelineFacts): TimelineSentence {
  const apps = number(metadata['refresh_families']);
  const along = apps > 0 ? `, including ${apps} ${apps === 1 ? 'app' : 'apps'}` : '';
  switch (metadata['reason']) {
    case 'signed_out':
      return plain('signed out in this browser');
    case 'signed_out_remotely':
      return plain(`ended another session from the account page${along}`);
    case 'signed_out_everywhere_else':
      return plain(
        `signed out everywhere else: ${counted(number(metadata['sso_sessions']), 'browser', 'browsers')} and ${counted(apps, 'app', 'apps')}`,
      );
    case 'ended_by_admin':
      return bad(`a sign-in${app ? ` to ${app}` : ''} was ended${by ? ` by ${by}` : ' by an administrator'}${along}`);
    default:
      return plain(`signed out${app ? ` of ${app}` : ''}`);
  }
}

export function replay({ metadata, app, from, on }: TimelineFacts): string {
  const what = metadata['kind'] === 'authorization_code' ? 'a one-time code was used twice' : 'refresh token replayed';
  const ended = counted(number(metadata['families_revoked']), 'sign-in', 'sign-ins');
  const whose = metadata['device_id'] ? 'of that device ' : '';
  const place = `${from ? ` from ${from}` : ''}${on ? ` on ${on}` : ''}`;
  return `${what}${app ? ` at ${app}` : ''}${place}: ${ended} ${whose}ended`;
}

export function created({ metadata, by }: TimelineFacts): string {
  if (metadata['first_admin']) return 'the account was created as the first platform admin';
  if (metadata['imported']) return `the account was imported${by ? ` by ${by}` : ''}`;
  if (metadata['by'] === 'invite') return 'created an account with an invite';
  if (metadata['by'] === 'sign_up') return 'signed up';
  if (metadata['provider']) return `signed up with ${providerOf(text(metadata['provider']))}`;
  return `the account was created${by ? ` by ${by}` : ''}`;
}

export function passwordChanged({ metadata, outcome, by }: TimelineFacts): TimelineSentence {
  if (outcome === 'failure') return bad('tried to change the password with a wrong current password');
  const ended = 'all sessions and tokens were revoked';
  switch (metadata['by']) {
    case 'reset':
      return plain(`set a new password with a mailed link: ${ended}`);
    case 'admin':
      return bad(`a new password was set${by ? ` by ${by}` : ' by an administrator'}: ${ended}`);
    default:
      return plain(
        `${metadata['first'] ? 'set the first password' : 'changed their password'}: ${ended}, except the current session`,
      );
  }
}

export function withMethods(metadata: TimelineFacts['metadata']): string {
  const amr = Array.isArray(metadata['amr']) ? (metadata['amr'] as unknown[]).map(text) : [];
  const named = amr.map((method) => METHODS[method] ?? providerOf(method)).filter((method) => method !== '');
  return named.length > 0 ? `with ${named.join(' and ')}` : '';
}

/** The label of a provider; an unknown method as it is. */
export function providerOf(name: string): string {
  return PROVIDERS.some((each) => each === name) ? PROVIDER_LABELS[name as ProviderName] : name;
}

export function reason(metadata: TimelineFacts['metadata']): string {
  const code = text(metadata['reason']);
  return REASONS[code] ?? (code.replaceAll('_', ' ') || 'no reason was recorded');
}

export function rolesIn(roles: unknown): string {
  return Array.isArray(roles) && roles.length > 0 ? ` as ${list(roles)}` : '';
}

export function list(values: unknown): string {
  return Array.isArray(values) && values.length > 0 ? values.map(text).join(', ') : 'none';
}

export function counted(count: number, one: string, many: string): string {
  return `${count} ${count === 1 ? one : many}`;
}

/** Entries are ours, but old ones may lack what newer ones have. */
export function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

export function number(value: unknown): number {
  return typeof value === 'number' ? value : 0;
}

export function capital(sentence: string): string {
  return sentence.charAt(0).toUpperCase() + sentence.slice(1);
}

export const good = (said: string): TimelineSentence => ({ text: said, tone: 'good' });
export const bad = (said: string): TimelineSentence => ({ text: said, tone: 'bad' });
export const plain = (said: string): TimelineSentence => ({ text: said, tone: 'plain' });
