import type { ShownInvite } from '../../invites/invite/invite.view.js';

/** State of an invite for its badge. Revoking removes the remaining uses, so it is visible only if there was no use before. */
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

/** Revoking sets the allowed uses to those so far: 0 if there was none. */
export function usesInWords({ useCount, maxUses }: { useCount: number; maxUses: number }): string {
  return maxUses === 0 ? '0' : `${useCount.toLocaleString('en')} of ${maxUses.toLocaleString('en')}`;
}
