import { REQUIRES_VERIFIED_EMAIL } from '../../apps/settings/sign-in-rules.sql.js';

/**
 * The rules of `admission.rules.ts` for statements that evaluate many rows. Aliases in the statement: the user `u`, the
 * app `a`, its tenant `t`, and the enrollment `e`, which may be missing (LEFT JOIN).
 *
 * A new condition must be added in four places: here, in `admission.rules.ts`, in `EntryCache` (for access tokens) and in
 * `entrantOf` of `auth/entry/entrant-of-row.ts` (for previews). `test/e2e/authorization/admission.spec.ts` compares the
 * first three for every combination of facts.
 */

/** The app requires a verified address, and the user's is not verified: `AdmissionFacts.emailMissing`. */
export const EMAIL_MISSING = `(NOT u.email_verified AND ${REQUIRES_VERIFIED_EMAIL})`;

/**
 * The app registered itself, and the user is not a member of any app that operators of its tenant have created (Console
 * apps count: their members govern the tenant): `AdmissionFacts.isOutsider`. For apps of operators, the first
 * comparison decides.
 */
export const IS_OUTSIDER = `(a.origin <> 'operator' AND NOT EXISTS (
    SELECT FROM enrollments of_operator JOIN apps operated ON operated.id = of_operator.app_id
    WHERE of_operator.user_id = u.id AND of_operator.status = 'active' AND operated.tenant_id = a.tenant_id
      AND operated.origin = 'operator' AND operated.is_active))`;

/** All conditions except for the enrollment, which authority can replace in a Console app. */
export const OPEN_TO_USER = `(u.is_active AND a.is_active AND t.is_active AND NOT ${EMAIL_MISSING} AND NOT ${IS_OUTSIDER})`;

export const IS_MEMBER = `coalesce(e.status = 'active', false)`;

/** Whether the user may enter an ordinary app now. */
export const ADMITTED = `(${OPEN_TO_USER} AND ${IS_MEMBER})`;

/**
 * Whether something that was issued at this time is still valid: no later event has ended all of the user's tokens, or
 * all of them in this app (a suspension, a removal).
 * @param issuedAt SQL of a timestamp
 */
export function isStillGood(issuedAt: string): string {
  return `(${issuedAt} >= u.tokens_valid_from AND ${issuedAt} >= coalesce(e.tokens_valid_from, '-infinity'))`;
}
