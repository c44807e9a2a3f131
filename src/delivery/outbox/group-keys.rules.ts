import { PLATFORM_GROUP } from '../queues/queues.js';

/** Separates a tenant from one of its apps. */
const SEPARATOR = '/';

/** The group of a tenant's jobs, or of the jobs of one of its apps. */
export function groupKey({ group, app }: { readonly group: string | null; readonly app?: string | null }): string {
  const owner = group ?? PLATFORM_GROUP;
  return app ? `${owner}${SEPARATOR}${app}` : owner;
}

/** The owner of a group: all groups of a tenant share the slots of one owner. */
export function ownerOfGroup(key: string): string {
  return key.split(SEPARATOR, 1)[0]!;
}

/** SQL for {@link ownerOfGroup}. */
export const OWNER_OF_GROUP = (column: string): string => `split_part(${column}, '${SEPARATOR}', 1)`;
