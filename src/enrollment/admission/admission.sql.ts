/**
 * The rules of `admission.rules.ts` for statements that judge many rows at once. Aliases in the statement: the user `u`,
 * the app `a`, its tenant `t`, and the enrollment `e`, which may be missing (LEFT JOIN). A condition that is added there is
 * added here too; `test/e2e/authorization/admission.spec.ts` compares the two over every combination of facts.
 */

/**
 * The app wants a verified address, and the user's is not: `AdmissionFacts.emailMissing`. A client that has registered itself wants one
 * while an app of its tenant does (`AppDirectory`); where none of these is on, its own row says what they wanted.
 */
export const EMAIL_MISSING = `(NOT u.email_verified AND coalesce(
    CASE WHEN a.origin <> 'operator' THEN (
      SELECT bool_or(coalesce((operated.config ->> 'require_verified_email')::boolean, false)) FROM apps operated
      WHERE operated.tenant_id = a.tenant_id AND operated.origin = 'operator' AND NOT operated.is_console_app AND operated.is_active) END,
    (a.config ->> 'require_verified_email')::boolean, false))`;

/**
 * The app has registered itself, and the user is no member of an app that operators of its tenant have made (Console apps count: their
 * members govern the tenant): `AdmissionFacts.isOutsider`. Apps of operators are done with the first comparison.
 */
export const IS_OUTSIDER = `(a.origin <> 'operator' AND NOT EXISTS (
    SELECT FROM enrollments of_operator JOIN apps operated ON operated.id = of_operator.app_id
    WHERE of_operator.user_id = u.id AND of_operator.status = 'active' AND operated.tenant_id = a.tenant_id
      AND operated.origin = 'operator' AND operated.is_active))`;

/** Everything but the enrollment: in a Console app authority may stand in for that. */
export const OPEN_TO_USER = `(u.is_active AND a.is_active AND t.is_active AND NOT ${EMAIL_MISSING} AND NOT ${IS_OUTSIDER})`;

export const IS_MEMBER = `coalesce(e.status = 'active', false)`;

/** Whether the user may enter an ordinary app now. */
export const ADMITTED = `(${OPEN_TO_USER} AND ${IS_MEMBER})`;

/**
 * Whether what was issued at this time is still good: nothing has since ended everything of the user's, or everything
 * of theirs in this app (a suspension, a removal).
 * @param issuedAt SQL of a timestamp
 */
export function isStillGood(issuedAt: string): string {
  return `(${issuedAt} >= u.tokens_valid_from AND ${issuedAt} >= coalesce(e.tokens_valid_from, '-infinity'))`;
}
