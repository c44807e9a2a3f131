import type { EntityManager } from 'typeorm';
import type { AppDirectory } from '../../../apps/directory/app-directory.js';
import type { KnownFamily } from './refresh-families.repository.js';

/** The subject of an audit entry about a family of refresh tokens. */
export async function familySubject(
  directory: AppDirectory,
  { id, userId, appId }: Pick<KnownFamily, 'id' | 'userId' | 'appId'>,
  tx?: EntityManager,
) {
  const client = await directory.findOfAnyOrigin(appId, tx);
  return { userId, appId, tenantId: client?.app.tenantId ?? null, target: { type: 'refresh_family', id } };
}
