import type { EnrollmentStatus } from '../enrollments/enrollment.entity.js';

/** States of accounts, as SQL conditions on the user `u`. Each has a partial index with the same predicate. */
export const ACCOUNT_STATES = {
  off: 'NOT u.is_active',
  platform_admin: 'u.is_platform_admin',
  verified: 'u.email_verified',
  unverified: 'NOT u.email_verified',
  second_factor: 'u.totp_enabled_at IS NOT NULL',
  no_password: 'u.password_hash IS NULL',
} as const;

export type AccountState = keyof typeof ACCOUNT_STATES;

const STATUSES: readonly EnrollmentStatus[] = ['active', 'pending', 'suspended'];

/** The states by which lists of users can be filtered: of an enrollment, or of the account. */
export type UserState = EnrollmentStatus | AccountState;

export function isAccountState(value: unknown): value is AccountState {
  return typeof value === 'string' && Object.hasOwn(ACCOUNT_STATES, value);
}

export function isUserState(value: unknown): value is UserState {
  return isAccountState(value) || STATUSES.some((status) => status === value);
}
