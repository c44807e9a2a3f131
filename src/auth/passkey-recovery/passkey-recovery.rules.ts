export const DAY_SECONDS = 86_400;

/** After the waiting time it can be completed for so long. Then it begins again. */
export const COMPLETE_DAYS = 14;

export interface RecoveryFacts {
  /** Of the platform or a tenant. */
  readonly isOperator: boolean;
  /** The notice reaches the user. */
  readonly isVerified: boolean;
  /** They have an authenticator app, whose code they can enter. */
  readonly hasCode: boolean;
  /** A tenant that demands two factors of them leaves it to an administrator, or none demands them. */
  readonly isRefused: boolean;
  /** The longest waiting time of these tenants. */
  readonly days: number;
  /** Null: nothing was asked for. */
  readonly ageSeconds: number | null;
}

export type RecoveryVerdict = 'refused' | 'offered' | 'waiting' | 'due';

/** The strictest tenant decides, because a passkey counts at all of them; judged afresh each time, as policies change. */
export function judgeRecovery(facts: RecoveryFacts): RecoveryVerdict {
  if (facts.isOperator || !facts.isVerified || facts.hasCode || facts.isRefused) return 'refused';
  const { ageSeconds, days } = facts;
  if (ageSeconds === null || ageSeconds >= (days + COMPLETE_DAYS) * DAY_SECONDS) return 'offered';
  return ageSeconds < days * DAY_SECONDS ? 'waiting' : 'due';
}
