export const DAY_SECONDS = 86_400;

/** Days after the waiting time in which a recovery can be completed. After that, it has to be requested again. */
export const COMPLETE_DAYS = 14;

export interface RecoveryFacts {
  /** Whether the user is a platform admin or enrolled in a Console app. */
  readonly isOperator: boolean;
  /** The user's address is verified, so the notice reaches them. */
  readonly isVerified: boolean;
  /** The user has an authenticator app, whose code they can enter. */
  readonly hasCode: boolean;
  /**
   * A tenant in which two factors are required of the user leaves recoveries to its administrators, or two factors are
   * not required anywhere.
   */
  readonly isRefused: boolean;
  /** Longest waiting time of the tenants in which two factors are required of the user. */
  readonly days: number;
  /** Time since the recovery was requested; null: none was. */
  readonly ageSeconds: number | null;
}

export type RecoveryVerdict = 'refused' | 'offered' | 'waiting' | 'due';

/**
 * The strictest tenant decides, because a passkey counts at all tenants. Evaluated again each time, because policies
 * change.
 */
export function judgeRecovery(facts: RecoveryFacts): RecoveryVerdict {
  if (facts.isOperator || !facts.isVerified || facts.hasCode || facts.isRefused) return 'refused';
  const { ageSeconds, days } = facts;
  if (ageSeconds === null || ageSeconds >= (days + COMPLETE_DAYS) * DAY_SECONDS) return 'offered';
  return ageSeconds < days * DAY_SECONDS ? 'waiting' : 'due';
}
