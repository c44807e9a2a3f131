import type { Admission } from '../../../enrollment/admission/admission.rules.js';
import type { FamilyEnd } from '../token-family/refresh-family.entity.js';

/** Data of a refresh token that the rotation did not accept. */
export interface RefusedToken {
  readonly appId: string;
  readonly isRotated: boolean;
  /** Null if the family is active. */
  readonly revokedFor: FamilyEnd | null;
  readonly admission: Admission;
}

export type RefreshRefusal = 'unknown' | 'other_app' | 'suspended' | 'replayed' | 'email_not_verified' | 'dead';

/**
 * The reason, in the order of docs/conventions.md, section 4. Only a token that was used or revoked by its owner
 * indicates a theft; one that an administrator or an earlier reaction revoked does not.
 */
export function judgeRefusal(token: RefusedToken | null, requestedAppId: string): RefreshRefusal {
  if (!token) return 'unknown';
  if (token.appId !== requestedAppId) return 'other_app';
  if (token.admission === 'suspended') return 'suspended';
  if (token.isRotated || token.revokedFor === 'owner') return 'replayed';
  if (token.revokedFor === null && token.admission === 'email_not_verified') return 'email_not_verified';
  return 'dead';
}
