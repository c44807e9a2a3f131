import type { Admission } from '../../../enrollment/admission/admission.rules.js';
import type { FamilyEnd } from '../token-family/refresh-family.entity.js';

/** What is known of a presented refresh token that the rotation did not accept. */
export interface RefusedToken {
  readonly appId: string;
  readonly isRotated: boolean;
  /** Null where the family is alive. */
  readonly revokedFor: FamilyEnd | null;
  readonly admission: Admission;
}

export type RefreshRefusal = 'unknown' | 'other_app' | 'suspended' | 'replayed' | 'email_not_verified' | 'dead';

/**
 * Why, in the order of docs/conventions.md, section 4. Only a token that was spent or given back by its owner betrays
 * a thief; one that an administrator or an earlier reaction killed does not.
 */
export function judgeRefusal(token: RefusedToken | null, askedAppId: string): RefreshRefusal {
  if (!token) return 'unknown';
  if (token.appId !== askedAppId) return 'other_app';
  if (token.admission === 'suspended') return 'suspended';
  if (token.isRotated || token.revokedFor === 'owner') return 'replayed';
  if (token.revokedFor === null && token.admission === 'email_not_verified') return 'email_not_verified';
  return 'dead';
}
