import { quantity } from '../../common/pages/quantity.js';
import type { EventFacts } from './event-facts.js';
import { minutes, number, providerOf, textOrNull, timesOf } from './event-words.js';
import { bad, good, type Phrase, plain, type Sentence } from './phrase.js';

const REVOKED = 'all sessions and tokens were revoked';

/** Passwords, second factors, linked accounts, and refusals. */
export const SECURITY_SENTENCES = {
  'user.password_changed': passwordChanged,
  'user.email_verified': ({ metadata }) => good(`{subject} verified their e-mail address ${proofOf(metadata['by'])}`),
  'totp.enabled': good('{subject} set up a second factor'),
  'totp.disabled': ({ metadata }) =>
    metadata['by'] === 'admin'
      ? bad(`{actor} reset the second factor of {user}: ${REVOKED}`)
      : plain('{subject} removed their second factor'),
  'totp.failed': bad('{subject} entered a wrong second-factor code[ at {app}]'),
  'totp.locked': ({ metadata }) =>
    bad('{subject} entered too many wrong second-factor codes[ at {app}]: locked for {time}', {
      time: minutes(metadata['seconds']),
    }),
  'backup_code.used': ({ metadata }) =>
    plain('{subject} used a backup code[ at {app}]: {left} left', { left: String(number(metadata['left'])) }),
  'backup_code.regenerated': plain('{subject} created new backup codes; the old ones no longer work'),
  'passkey.added': good('{subject} added a passkey'),
  'passkey.renamed': plain('{subject} renamed a passkey'),
  'passkey.removed': passkeyRemoved,
  'passkey.refused': bad(
    'A passkey of {subject} was refused: its signature counter went backwards, so it may have been copied',
  ),
  'passkey.recovery_requested': ({ metadata }) =>
    bad('{subject} reported all passkeys as lost: they can be removed after {days}', {
      days: quantity(number(metadata['days']), 'day', 'days'),
    }),
  'passkey.recovery_stopped': ({ metadata }) =>
    metadata['by'] === 'mail'
      ? bad('{user} stopped the removal of their passkeys with the link in the mail')
      : metadata['by'] === 'owner'
        ? bad('{user} stopped the removal of their passkeys on the account page')
        : plain('The removal of lost passkeys of {user} was stopped'),
  'linked_account.added': ({ metadata, isOwn }) =>
    good(isOwn ? '{subject} linked an account at {provider}' : '{actor} linked an account at {provider} to {user}', {
      provider: providerOf(metadata['provider']) || 'a provider',
    }),
  'linked_account.removed': ({ metadata }) =>
    plain('{subject} removed the link to {provider}', { provider: providerOf(metadata['provider']) || 'a provider' }),
  'access.denied': ({ metadata }) =>
    bad('{actor} was denied access[ to {where}][ in {app}][, {times} within a minute]', {
      where: textOrNull(metadata['route']),
      times: timesOf(metadata['count']),
    }),
  'rate_limit.cleared': good('{actor} cleared the rate limits[ of {user}]'),
} satisfies Readonly<Record<string, Sentence>>;

function passwordChanged({ metadata, outcome }: EventFacts): Phrase {
  if (outcome === 'failure') return bad('{subject} tried to change the password with a wrong current password');
  switch (metadata['by']) {
    case 'reset':
      return plain(`{subject} set a new password with a mailed link: ${REVOKED}`);
    case 'admin':
      return bad(`{actor} set a new password for {user}: ${REVOKED}`);
    default:
      return plain(
        metadata['first']
          ? `{subject} set the first password: ${REVOKED}, except the current session`
          : `{subject} changed their password: ${REVOKED}, except the current session`,
      );
  }
}

function passkeyRemoved({ metadata }: EventFacts): Phrase {
  switch (metadata['by']) {
    case 'admin':
      return bad('{actor} removed a passkey of {user}');
    case 'mailbox':
      return plain('A passkey of {subject} was removed when the owner of the mailbox took over the account');
    case 'recovery':
      return bad(`{subject} removed a passkey that they had lost: ${REVOKED}`);
    default:
      return plain('{subject} removed a passkey');
  }
}

function proofOf(by: unknown): string {
  if (by === 'invite') return 'by accepting an invite';
  return by === 'link' ? 'with the link in a mail' : 'by using a mailed link';
}
