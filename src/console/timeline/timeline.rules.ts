import type { TimelineFacts, TimelineSentence } from './timeline-facts.js';
import {
  bad,
  capital,
  created,
  good,
  list,
  number,
  passwordChanged,
  providerOf,
  plain,
  reason,
  replay,
  rolesIn,
  sessionEnded,
  text,
  withMethods,
  SIGN_IN_CHANNELS,
} from './timeline-parts.js';

/** What happened, as one would tell it: who did what, where, and what came of it. */
export function describeEvent(facts: TimelineFacts): TimelineSentence {
  const { text: said, tone } = describe(facts);
  return { text: `${capital(said.replace(/\s+/g, ' ').trim())}.`, tone };
}

function describe(facts: TimelineFacts): TimelineSentence {
  const { action, metadata, by } = facts;
  const at = facts.app ? ` in ${facts.app}` : '';
  const to = facts.app ? ` to ${facts.app}` : '';
  const who = by ? ` by ${by}` : '';
  switch (action) {
    case 'user.login':
      return good(`signed in${to} ${withMethods(metadata)} ${SIGN_IN_CHANNELS[text(metadata['via'])] ?? ''}`);
    case 'user.login_failed':
      return bad(`a sign-in${to} was refused: ${reason(metadata)}`);
    case 'user.new_browser':
      return plain('signed in from a new browser or location');
    case 'session.created':
      return good(`a session started${at}`);
    case 'session.revoked':
      return sessionEnded(facts);
    case 'token.replay_detected':
      return bad(replay(facts));
    case 'token.reused':
      return plain(`a refresh token was used a second time${at}, within the app’s grace period`);
    case 'user.created':
      return good(created(facts));
    case 'user.updated':
      return plain(by ? `the profile was changed${who}` : 'changed their profile');
    case 'user.deleted':
      return bad(`the account was deleted${who}`);
    case 'user.email_verified':
      return good(
        metadata['by'] === 'link' ? 'confirmed the e-mail address' : 'verified the e-mail address by a mailed link',
      );
    case 'user.password_changed':
      return passwordChanged(facts);
    case 'user.suspended':
      return bad(`suspended${at}${who}: its tokens were revoked`);
    case 'user.reactivated':
      return good(`reactivated${at}${who}`);
    case 'user.promoted':
      return plain(`made a platform admin${who}`);
    case 'user.demoted':
      return plain(`removed as platform admin${who}`);
    default:
      return describeOther(facts, at, who);
  }
}

function describeOther({ action, metadata, by }: TimelineFacts, at: string, who: string): TimelineSentence {
  switch (action) {
    case 'enrollment.created':
      return good(`enrolled${at}${rolesIn(metadata['roles'])}${metadata['by'] === 'invite' ? ' by an invite' : who}`);
    case 'enrollment.pending':
      return plain(`requested access${at}`);
    case 'enrollment.approved':
      return good(`approved${at}${metadata['by'] === 'invite' ? ' by an invite' : who}`);
    case 'enrollment.denied':
      return bad(`the request for access${at} was denied${who}`);
    case 'enrollment.removed':
      return bad(`removed${at ? ` from${at.slice(3)}` : ''}${who}: its tokens were revoked`);
    case 'enrollment.roles_changed':
      return plain(`roles${at} changed from ${list(metadata['before'])} to ${list(metadata['after'])}${who}`);
    case 'totp.enabled':
      return good('set up a second factor');
    case 'totp.disabled':
      return metadata['by'] === 'admin'
        ? bad(`the second factor was reset${who}: all sessions and tokens were revoked`)
        : plain('removed their second factor');
    case 'totp.failed':
      return bad(`a wrong second-factor code was entered${at}`);
    case 'totp.locked':
      return bad(`too many wrong second-factor codes${at}: locked for ${minutes(metadata['seconds'])}`);
    case 'backup_code.used':
      return plain(`used a backup code${at}: ${number(metadata['left'])} left`);
    case 'backup_code.regenerated':
      return plain('created new backup codes; the old ones no longer work');
    case 'linked_account.added':
      return good(`linked an account at ${providerOf(text(metadata['provider']))}`);
    case 'linked_account.removed':
      return plain(`removed the link to ${providerOf(text(metadata['provider']))}`);
    case 'invite.accepted':
      return good(`accepted an invite${at}`);
    case 'invite.refused':
      return bad(`tried to redeem an invite${at} that they had created while impersonating`);
    case 'tenant.admin_added':
      return plain(`made a tenant admin${who}`);
    case 'tenant.admin_removed':
      return plain(`removed as tenant admin${who}`);
    case 'push.device_registered':
      return plain(`registered a device for push${at}`);
    case 'push.device_removed':
      return plain(`a device was removed from push${at}${who}`);
    case 'rate_limit.cleared':
      return good(`rate limits were cleared${who}`);
    case 'access.denied':
      return bad(`was denied access${at}${times(metadata['count'])}`);
    default:
      return plain(`${action.replace('.', ': ').replaceAll('_', ' ')}${at}${by ? who : ''}`);
  }
}

function minutes(seconds: unknown): string {
  const count = Math.ceil(Number(seconds) / 60);
  return count === 1 ? 'a minute' : `${count} minutes`;
}

/** Nothing for an entry that stands for one refusal. */
function times(count: unknown): string {
  return typeof count === 'number' && count > 1 ? `, ${count} more times within a minute` : '';
}
