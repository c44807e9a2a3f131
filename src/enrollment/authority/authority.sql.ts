/**
 * `isHeld` of `authority.rules.ts` in SQL: whether an active enrollment gives authority.
 * @param app alias of the app in the statement
 * @param enrollment alias of the enrollment
 */
export function holdsAuthority(app: string, enrollment: string): string {
  return `(${app}.is_console_app OR ${enrollment}.roles && ARRAY['admin', 'manager'])`;
}
