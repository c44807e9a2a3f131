import { quantity } from '../../common/pages/quantity.js';
import type { EventFacts } from './event-facts.js';
import { channelOf, number, reason, someApps, textOrNull, timesOf, withMethods } from './event-words.js';
import { bad, good, type Phrase, plain, type Sentence } from './phrase.js';

/** Sign-ins, sessions and tokens. */
export const SIGN_IN_SENTENCES = {
  'user.login': ({ metadata }) =>
    good('{subject} signed in[ to {app}][ {methods}][ {channel}]', {
      methods: withMethods(metadata),
      channel: channelOf(metadata),
    }),
  'user.login_failed': ({ metadata }) =>
    bad('{subject} could not sign in[ to {app}][: {reason}][, {times} within a minute]', {
      // An entry about many refusals has no reason.
      reason: 'count' in metadata ? null : reason(metadata),
      times: timesOf(metadata['count']),
    }),
  'user.new_browser': plain('{subject} signed in from a new browser or location'),
  'device.allowed': ({ metadata }) =>
    good('{subject} allowed a device to sign in[ to {app}][ with {program}][ from {network}]', deviceOf(metadata)),
  'device.denied': ({ metadata }) =>
    bad('{subject} denied a device the sign-in[ to {app}][ with {program}][ from {network}]', deviceOf(metadata)),
  'consent.given': ({ metadata }) => good('{subject} allowed {app} access[: {scopes}]', { scopes: scopesOf(metadata) }),
  'consent.denied': bad('{subject} did not allow {app} access'),
  'consent.revoked': ({ isOwn, user }) =>
    isOwn || !user
      ? plain('{subject} removed the access of {app}')
      : plain('{actor} removed the access of {app} to {user}'),
  'session.created': good('{subject} started a session[ in {app}]'),
  'session.revoked': sessionEnded,
  'token.replay_detected': replay,
  'token.reused': plain('{subject} used a refresh token a second time[ in {app}], within the app’s grace period'),
  'token.exchanged': ({ metadata }) =>
    plain('{actor} exchanged an access token of {user}[ from {app}] for {resource}[ with {scopes}]', {
      resource: textOrNull(metadata['resource']) ?? 'another API',
      scopes: textOrNull(metadata['scope']),
    }),
  'token.exchange_revoked': ({ metadata }) =>
    plain('{actor} ended an exchanged access token of {user} for {resource}', {
      resource: textOrNull(metadata['resource']) ?? 'another API',
    }),
  'service_token.refused': ({ metadata }) =>
    bad('The server of {app} was refused a service token: {reason}', { reason: reason(metadata) }),
  'service_token.revoked': ({ metadata }) =>
    plain('a service token of {app}[ for {resource}] was revoked', { resource: textOrNull(metadata['resource']) }),
} satisfies Readonly<Record<string, Sentence>>;

function scopesOf({ scopes }: EventFacts['metadata']): string | null {
  return Array.isArray(scopes) && scopes.length > 0 ? scopes.join(', ') : null;
}

function deviceOf(metadata: EventFacts['metadata']) {
  return { program: textOrNull(metadata['user_agent']), network: textOrNull(metadata['network']) };
}

function sessionEnded({ metadata, isOwn, user }: EventFacts): Phrase {
  const families = number(metadata['refresh_families']);
  const words = { apps: someApps(families) };
  switch (metadata['reason']) {
    case 'signed_out':
      return plain('{subject} signed out in a browser');
    case 'signed_out_remotely':
      return plain('{subject} ended another session from the account page[, including {apps}]', words);
    case 'signed_out_everywhere_else':
      return plain('{subject} signed out everywhere else: {browsers} and {apps}', {
        browsers: quantity(number(metadata['sso_sessions']), 'browser', 'browsers'),
        apps: quantity(families, 'app', 'apps'),
      });
    case 'ended_by_admin':
      return bad('{actor} ended a sign-in of {user}[ to {app}][, including {apps}]', words);
    default:
      return isOwn || !user
        ? plain('{subject} signed out[ of {app}]')
        : plain('{actor} ended a sign-in of {user}[ to {app}]');
  }
}

function replay({ metadata, from, on }: EventFacts): Phrase {
  const what = metadata['kind'] === 'authorization_code' ? 'one-time code' : 'refresh token';
  const ended = quantity(number(metadata['families_revoked']), 'sign-in', 'sign-ins');
  const device = metadata['device_id'] ? 'of that device ' : '';
  return bad(`a ${what}[ of {user}] was replayed[ at {app}][ from {from}][ on {on}]: {ended} ${device}ended`, {
    from,
    on,
    ended,
  });
}
