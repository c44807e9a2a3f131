import { DEMANDS_TWO_FACTORS } from '../../../../apps/settings/sign-in-rules.sql.js';
import { holdsAuthority } from '../../../../enrollment/authority/authority.sql.js';

/** Any authority, for which the platform's Console app admits users who are no members of it. */
const HOLDS_AUTHORITY = `(EXISTS (SELECT 1 FROM users WHERE id = $1 AND is_platform_admin)
    OR EXISTS (SELECT 1 FROM enrollments held JOIN apps place ON place.id = held.app_id
      WHERE held.user_id = $1 AND ${holdsAuthority('place', 'held')}))`;

/**
 * The places that the user $1 can enter: the apps that they are a member of, and the platform's Console app for users with
 * authority (docs/decisions/0067). Every membership counts, even a suspended one, because it can become active again.
 * `demands`: two factors, or a passkey, are required of every user there. The same in TypeScript: `entrantOf`.
 */
export const PLACES_OF_USER = `
  SELECT true AS is_member, a.is_console_app AS is_console, t.passkey_recovery_days, ${DEMANDS_TWO_FACTORS} AS demands
  FROM enrollments e JOIN apps a ON a.id = e.app_id JOIN tenants t ON t.id = a.tenant_id WHERE e.user_id = $1
  UNION ALL
  SELECT false, true, t.passkey_recovery_days, ${DEMANDS_TWO_FACTORS}
  FROM tenants t JOIN apps a ON a.tenant_id = t.id AND a.is_console_app WHERE t.is_platform AND ${HOLDS_AUTHORITY}`;
