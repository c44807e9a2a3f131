import type { ShownInvite } from '../../invites/invite/invite.view.js';

/** State of an invite for its badge. Revoking sets the number of allowed uses to 0, which no other state has. */
export function inviteState({ status, invite }: Pick<ShownInvite, 'status' | 'invite'>): {
  text: string;
  tone: string;
} {
  switch (status) {
    case 'usable':
      return { text: 'Open', tone: 'plain' };
    case 'lapsed':
      return { text: 'No longer valid', tone: 'neutral' };
    case 'expired':
      return { text: 'Expired', tone: 'neutral' };
    case 'exhausted':
      return { text: invite.useCount === 0 ? 'Revoked' : 'Used up', tone: 'neutral' };
  }
}

/** A revoked invite has 0 allowed uses. */
export function usesInWords({ useCount, maxUses }: { useCount: number; maxUses: number }): string {
  return maxUses === 0 ? '0' : `${useCount.toLocaleString('en')} of ${maxUses.toLocaleString('en')}`;
}
