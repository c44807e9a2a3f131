/** SQL condition for `asksConsent`, for the app `a`. */
const ASKS_CONSENT = `(a.origin <> 'operator' OR (coalesce((a.config ->> 'third_party')::boolean, false) AND NOT a.is_console_app))`;

/**
 * SQL condition: the family `f` has nothing that its user does not allow the app `a` now. A sign-in from before the app
 * needed consent counts as without one, and with single claims (parameter `claims`) no consent covers it: those are not
 * granted with consent. Looked up by primary key, and only for apps that need consent: a CASE is not
 * reordered, and OFFSET 0 prevents reading the whole table into a hash.
 */
export const HAS_CONSENT = `(CASE WHEN ${ASKS_CONSENT} THEN EXISTS (
        SELECT 1 FROM consents c WHERE c.user_id = f.user_id AND c.app_id = f.app_id AND c.resource = coalesce(f.resource, '')
          AND string_to_array(f.scope, ' ') <@ (c.scopes || '{openid,offline_access}'::text[])
          AND coalesce(f.claims -> 'userinfo', '{}') = '{}' AND coalesce(f.claims -> 'id_token', '{}') = '{}' OFFSET 0) ELSE true END)`;

/**
 * SQL condition: the user of the family `f` allows the app `a` these scopes of a resource now. Consent for one API says
 * nothing about another (docs/decisions/0078). The tenant's own apps need no consent.
 * @param resource SQL of its identifier
 * @param scope SQL, space-separated
 */
export function hasConsentFor(resource: string, scope: string): string {
  return `(CASE WHEN ${ASKS_CONSENT} THEN EXISTS (
        SELECT 1 FROM consents c WHERE c.user_id = f.user_id AND c.app_id = f.app_id AND c.resource = ${resource}
          AND string_to_array(${scope}, ' ') <@ c.scopes OFFSET 0) ELSE true END)`;
}
