import type { Invite } from '../../invites/invite.entity.js';
import type { Confirmation } from '../frame/confirmation.js';

type Question = Pick<Confirmation, 'title' | 'lead' | 'impact' | 'button' | 'isDanger'>;

/** Before an invite is worth nothing any more. */
export function revokeQuestion(invite: Invite): Question {
  return {
    title: 'Revoke this invite?',
    lead: 'Nobody can join with it any more. Whoever has joined stays.',
    impact: [...facts(invite), { label: 'Uses that are lost', value: usesLeft(invite) }],
    button: 'Revoke',
    isDanger: true,
  };
}

/** Before another one takes the place of an invite. */
export function resendQuestion(invite: Invite): Question {
  return {
    title: invite.email ? 'Send this invite again?' : 'Make another code for this invite?',
    lead: invite.email
      ? 'A mail with a new link goes out. The link and the code from before stop working at once.'
      : 'Whoever has the code from before and has not used it yet cannot join with it any more: give them the new one.',
    impact: [...facts(invite), { label: 'Uses of the new one', value: usesLeft(invite) }],
    button: invite.email ? 'Send it again' : 'Make another code',
    isDanger: true,
  };
}

function facts({ email, roles }: Invite) {
  return [
    { label: 'For', value: email ?? 'Whoever has the code' },
    { label: 'Roles', value: roles.join(', ') },
  ];
}

function usesLeft({ maxUses, useCount }: Invite): string {
  return (maxUses - useCount).toLocaleString('en');
}
