import { quantity } from '../../common/pages/quantity.js';
import type { EventFacts } from './event-facts.js';
import { listed, providerOf, textOrNull } from './event-words.js';
import { bad, good, type Phrase, plain, type Sentence } from './phrase.js';

const DELETED: Readonly<Record<string, string>> = {
  address_owner: 'The owner of the e-mail address deleted the account of {user}',
  owner: 'The account of {user} was deleted, as its owner had asked',
};

/** Accounts, memberships and invites. */
export const USER_SENTENCES = {
  'user.created': created,
  'user.updated': ({ isOwn }) =>
    plain(isOwn ? '{subject} changed their profile' : '{actor} changed the profile of {user}'),
  'user.email_change_requested': ({ metadata }) =>
    plain('{subject} asked to change their e-mail address[ to {address}]', { address: textOrNull(metadata['to']) }),
  'user.email_changed': ({ metadata }) =>
    plain('{subject} changed their e-mail address[ from {before}][ to {after}]', {
      before: textOrNull(metadata['from']),
      after: textOrNull(metadata['to']),
    }),
  'user.email_change_failed': bad('{subject} entered a wrong code for another e-mail address'),
  'user.email_change_cancelled': plain('{subject} cancelled the change of their e-mail address'),
  'user.email_change_stopped': ({ metadata }) =>
    bad(
      metadata['undone']
        ? 'A change of the e-mail address of {user} was undone from the old address: {everything}'
        : 'A change of the e-mail address of {user} was stopped from the old address: {everything}',
      { everything: 'the password was removed, and all sessions and tokens were revoked' },
    ),
  'user.secured': ({ metadata }) =>
    bad(
      metadata['reason'] === 'credential_stopped'
        ? '{user} reported a new sign-in method as unauthorized, with the link in the e-mail: {everything}'
        : '{user} reported a change of their e-mail address as unauthorized: {everything}',
      { everything: 'the password and everything that was added since a week before were removed' },
    ),
  'user.deletion_requested': bad('{subject} asked to delete their account'),
  'user.deletion_cancelled': ({ metadata }) =>
    metadata['reason']
      ? plain('The deletion of the account of {user} was cancelled: {why}', {
          why: String(metadata['reason']).replaceAll('_', ' '),
        })
      : plain('{subject} cancelled the deletion of their account'),
  'user.exported': plain('{subject} downloaded their data'),
  'user_list.exported': ({ metadata }) =>
    plain('{actor} exported a list of {users}[ of {app}][ of {tenant}]', {
      users: typeof metadata['users'] === 'number' ? quantity(metadata['users'], 'user', 'users') : 'users',
    }),
  'user.deleted': ({ metadata }) => bad(DELETED[String(metadata['by'])] ?? '{actor} deleted the account of {user}'),
  'user.suspended': bad('{actor} suspended {user}[ in {app}]'),
  'user.reactivated': good('{actor} reactivated {user}[ in {app}]'),
  'user.reset_link_sent': plain('{actor} e-mailed {user} a password reset link[ for {app}]'),
  'user.verification_sent': plain('{actor} e-mailed {user} a link to verify the address[ for {app}]'),
  'user.promoted': plain('{actor} made {user} a platform admin'),
  'user.demoted': plain('{actor} removed {user} as a platform admin'),
  'enrollment.created': joined,
  'enrollment.pending': plain('{subject} requested access to {app}'),
  'enrollment.approved': ({ metadata }) =>
    good(
      metadata['by'] === 'invite' ? '{user} was admitted to {app} by an invite' : '{actor} approved {user} for {app}',
    ),
  'enrollment.approval_resent': plain('{actor} e-mailed {user} again that they were approved for {app}'),
  'enrollment.denied': bad('{actor} denied {user} access to {app}'),
  'enrollment.removed': ({ metadata, isOwn }) => {
    if (metadata['reason'] === 'user_deleted')
      return metadata['last_admin'] === true
        ? bad('{actor} removed {user} from {app} with the account, and no other admin is left')
        : bad('{actor} removed {user} from {app} with the account');
    if (metadata['reason'] === 'client_removed')
      return bad('{user} is no longer in {client}, which made room for a newer client', {
        client: String(metadata['app_name']),
      });
    if (metadata['reason'] === 'client_expired')
      return bad('{user} is no longer in {client}, which was not used for 90 days', {
        client: String(metadata['app_name']),
      });
    return isOwn ? plain('{subject} left {app}') : bad('{actor} removed {user} from {app}');
  },
  'enrollment.roles_changed': ({ metadata }) =>
    plain('{actor} changed the roles of {user}[ in {app}] from {before} to {after}', {
      before: listed(metadata['before']) ?? 'none',
      after: listed(metadata['after']) ?? 'none',
    }),
  'tenant.admin_added': ({ metadata, user }) =>
    user
      ? plain('{actor} made {user} an admin of {tenant}')
      : plain('{actor} invited {email} to be an admin of {tenant}', {
          email: textOrNull(metadata['email']) ?? 'a user',
        }),
  'tenant.admin_removed': plain('{actor} removed {user} as an admin of {tenant}'),
  'invite.created': ({ metadata }) =>
    plain('{actor} created an invite[ for {email}][ to {app}]', { email: textOrNull(metadata['email']) }),
  'invite.accepted': good('{subject} accepted an invite[ to {app}]'),
  'invite.refused': ({ metadata }) =>
    metadata['reason'] === 'inviter_lost_authority'
      ? bad('{subject} tried to redeem an invite[ to {app}] whose creator may no longer grant its roles')
      : bad('{subject} tried to redeem an invite[ to {app}] that they had created while impersonating'),
  'invite.revoked': plain('{actor} revoked an invite[ to {app}]'),
  'invite.resent': ({ metadata }) =>
    plain('{actor} sent a new invite[ for {email}][ to {app}]', { email: textOrNull(metadata['email']) }),
} satisfies Readonly<Record<string, Sentence>>;

function created({ metadata, isOwn, user }: EventFacts): Phrase {
  if (metadata['first_admin']) return good('{subject} created the account of the first platform admin');
  if (metadata['imported']) return good('{actor} imported the account of {user}');
  if (metadata['by'] === 'invite') return good('{subject} created an account with an invite[ to {app}]');
  if (metadata['by'] === 'address_owner') return plain('A new account without data keeps the address of {user}');
  if (metadata['by'] === 'sign_up') return good('{subject} signed up[ at {app}]');
  if (metadata['provider'])
    return good('{subject} signed up with {provider}[ at {app}]', { provider: providerOf(metadata['provider']) });
  return isOwn || !user
    ? good('{subject} created an account[ at {app}]')
    : good('{actor} created the account of {user}');
}

function joined({ metadata, isOwn }: EventFacts): Phrase {
  const words = { roles: listed(metadata['roles']) };
  if (metadata['by'] === 'invite') return good('{subject} joined {app} with an invite[ as {roles}]', words);
  if (metadata['by'] === 'address_owner')
    return bad('{user} stays suspended in {app}: the owner of the address deleted an account that was suspended there');
  return isOwn
    ? good('{subject} joined {app}[ as {roles}]', words)
    : good('{actor} added {user} to {app}[ as {roles}]', words);
}
