import type { User } from '../../users/user.entity.js';

export interface Badge {
  readonly text: string;
  readonly tone: 'good' | 'off' | 'bad';
}

/** The state of an account at a glance. */
export function badgesOf(
  user: Pick<User, 'isActive' | 'isPlatformAdmin' | 'emailVerified' | 'totpEnabledAt' | 'passwordHash'>,
): Badge[] {
  return [
    ...(user.isActive ? [] : [{ text: 'Switched off', tone: 'bad' as const }]),
    ...(user.isPlatformAdmin ? [{ text: 'Platform admin', tone: 'good' as const }] : []),
    user.emailVerified ? { text: 'Verified', tone: 'good' } : { text: 'Not verified', tone: 'off' },
    ...(user.totpEnabledAt ? [{ text: 'Second factor', tone: 'good' as const }] : []),
    ...(user.passwordHash === null ? [{ text: 'No password', tone: 'off' as const }] : []),
  ];
}
