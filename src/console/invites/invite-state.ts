import type { ShownInvite } from '../../invites/invite/invite.view.js';

/** For the badge of an invite. Revoking takes the uses that are left: seen only where there was none before. */
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

/** Revoking takes the uses that are left. */
export function usesInWords({ useCount, maxUses }: { useCount: number; maxUses: number }): string {
  return maxUses === 0 ? '0' : `${useCount.toLocaleString('en')} of ${maxUses.toLocaleString('en')}`;
}
