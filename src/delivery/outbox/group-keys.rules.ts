import { PLATFORM_GROUP } from '../queues/queues.js';

/** Between a tenant and one of its apps. */
const SEPARATOR = '/';

/** The group of a tenant's jobs, or of those that one of its apps causes. */
export function groupKey({ group, app }: { readonly group: string | null; readonly app?: string | null }): string {
  const owner = group ?? PLATFORM_GROUP;
  return app ? `${owner}${SEPARATOR}${app}` : owner;
}

/** Whose group it is: groups of the same tenant have the places of one together. */
export function ownerOfGroup(key: string): string {
  return key.split(SEPARATOR, 1)[0]!;
}

/** As {@link ownerOfGroup}. */
export const OWNER_OF_GROUP = (column: string): string => `split_part(${column}, '${SEPARATOR}', 1)`;
