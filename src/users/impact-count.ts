/** Names of the counts in `GET /admin/users/{user_id}/impact` (docs/conventions.md, section 3). */
export const IMPACT_COUNTS = [
  'enrollments',
  'refresh_tokens',
  'sso_sessions',
  'linked_accounts',
  'push_devices',
  'notifications',
  'invites_created',
] as const;
export type ImpactCountName = (typeof IMPACT_COUNTS)[number];

/**
 * What of a person stands in some module's tables, counted before a deletion. The module that owns the table
 * extends this and provides it; it is found by its type. A name without a class counts 0.
 */
export abstract class ImpactCount {
  abstract readonly name: ImpactCountName;
  abstract count(userId: string): Promise<number>;
}
