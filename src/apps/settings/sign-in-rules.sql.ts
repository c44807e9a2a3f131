/**
 * The sign-in rules of an app `a` in SQL, as `AppDirectory` has them: an app of operators has its own, and a
 * self-registered client has those of its tenant's apps at this moment. Active apps count; if there is none, apps that are
 * switched off, and then archived ones (`AppsRepository.signInRulesOf`). If the tenant has no app, those that are stored
 * with the client count. Aliases in the statement: the app `a` and its tenant `t`.
 */
type Rule = (app: string) => string;

const requiresSecondFactor: Rule = (app) => `coalesce((${app}.config ->> 'require_2fa')::boolean, false)`;
const requiresVerifiedEmail: Rule = (app) => `coalesce((${app}.config ->> 'require_verified_email')::boolean, false)`;
const takesOnlyPasskeys: Rule = (app) => `coalesce(${app}.config -> 'allowed_providers' = '["passkey"]', false)`;

/** @param overTenant how the rules of several apps make one */
function current(rule: Rule, overTenant: 'bool_or' | 'bool_and'): string {
  const of = `${overTenant}(${rule('operated')})`;
  return `coalesce(CASE WHEN a.origin <> 'operator' THEN (
      SELECT coalesce(${of} FILTER (WHERE operated.is_active), ${of} FILTER (WHERE operated.archived_at IS NULL), ${of})
      FROM apps operated
      WHERE operated.tenant_id = a.tenant_id AND operated.origin = 'operator' AND NOT operated.is_console_app) END,
    ${rule('a')})`;
}

export const REQUIRES_VERIFIED_EMAIL = current(requiresVerifiedEmail, 'bool_or');

/** `demandsTwoFactors` of `required-factors.rules.ts` in SQL. */
export const DEMANDS_TWO_FACTORS = `(t.require_2fa OR ${current(requiresSecondFactor, 'bool_or')}
    OR ${current(takesOnlyPasskeys, 'bool_and')})`;
