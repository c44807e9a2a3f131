import type { Invite } from '../../invites/invite/invite.entity.js';
import type { Confirmation } from '../frame/pages/confirmation.js';

type Question = Pick<Confirmation, 'title' | 'lead' | 'impact' | 'button' | 'isDanger'>;

/** The question before an invite is revoked. */
export function revokeQuestion(invite: Invite): Question {
  return {
    title: 'Revoke this invite?',
    lead: 'It can no longer be used. Users who have already joined keep their access.',
    impact: [...facts(invite), { label: 'Uses left', value: usesLeft(invite) }],
    button: 'Revoke invite',
    isDanger: true,
  };
}

/** The question before an invite is replaced by a new one. */
export function resendQuestion(invite: Invite): Question {
  return {
    title: invite.email ? 'Send this invite again?' : 'Create a new code for this invite?',
    lead: invite.email
      ? 'We’ll send an e-mail with a new link. The previous link and code stop working immediately.'
      : 'The previous code stops working immediately. Give the new one to users who have not used the invite yet.',
    impact: [...facts(invite), { label: 'Uses of the new code', value: usesLeft(invite) }],
    button: invite.email ? 'Send again' : 'Create new code',
    isDanger: true,
  };
}

function facts({ email, roles }: Invite) {
  return [
    { label: 'For', value: email ?? 'Anyone with the code' },
    { label: 'Roles', value: roles.join(', ') },
  ];
}

function usesLeft({ maxUses, useCount }: Invite): string {
  return (maxUses - useCount).toLocaleString('en');
}
