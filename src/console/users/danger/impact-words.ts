import { IMPACT_COUNTS, type ImpactCounts } from '../../../admin/users/account/user-impact.repository.js';
import type { Impact } from '../../../admin/users/account/user-impact.service.js';

const WORDS: Readonly<Record<keyof ImpactCounts, string>> = {
  enrollments: 'Memberships',
  refresh_tokens: 'Active refresh tokens',
  sso_sessions: 'Active browser sessions',
  linked_accounts: 'Linked accounts',
  passkeys: 'Passkeys',
  consents: 'Apps with consent',
  push_devices: 'Push devices',
  notifications: 'Notifications',
  invites_created: 'Created invites',
};

/** Numbers of what a deletion would delete. */
export function impactInWords({ counts, tenantAdminOf, user, isLastPlatformAdmin }: Impact): {
  label: string;
  value: string;
}[] {
  return [
    ...IMPACT_COUNTS.map((name) => ({ label: WORDS[name], value: counts[name].toLocaleString('en') })),
    ...(tenantAdminOf.length > 0
      ? [{ label: 'Tenant admin of', value: tenantAdminOf.map(({ name }) => name).join(', ') }]
      : []),
    ...(user.isPlatformAdmin
      ? [{ label: 'Platform admin', value: isLastPlatformAdmin ? 'The last one: cannot be deleted' : 'Yes' }]
      : []),
  ];
}
