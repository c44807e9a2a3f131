import type { User } from '../../../users/user.entity.js';
import { longDate } from '../../frame/lists/long-date.js';

export type BadgeTone = 'plain' | 'neutral' | 'info' | 'good' | 'off' | 'bad';

export interface Badge {
  readonly text: string;
  /** Colors of `assets/components.css`; `neutral` has none. */
  readonly tone: BadgeTone;
}

/** Badges for unusual states and special roles of an account. */
export function badgesOf(
  user: Pick<
    User,
    'isActive' | 'isPlatformAdmin' | 'emailVerified' | 'totpEnabledAt' | 'passwordHash' | 'deletionDueAt'
  >,
): Badge[] {
  return [
    ...(user.isActive ? [] : [{ text: 'Switched off', tone: 'bad' as const }]),
    ...(user.deletionDueAt
      ? [{ text: `Will be deleted on ${longDate(user.deletionDueAt)} (UTC)`, tone: 'bad' as const }]
      : []),
    ...(user.isPlatformAdmin ? [{ text: 'Platform admin', tone: 'info' as const }] : []),
    ...(user.emailVerified ? [] : [{ text: 'Not verified', tone: 'off' as const }]),
    ...(user.totpEnabledAt ? [{ text: 'Authenticator app', tone: 'neutral' as const }] : []),
    ...(user.passwordHash === null ? [{ text: 'No password', tone: 'neutral' as const }] : []),
  ];
}
