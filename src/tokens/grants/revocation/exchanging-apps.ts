import type { AppDirectory } from '../../../apps/directory/app-directory.js';
import { nameOfResource } from '../../protocol/resource.rules.js';
import type { ActiveGrant } from './active-grants.repository.js';

/** Apps that have exchanged a token of this sign-in, each with the API that it accesses. All are of one tenant. */
export async function exchangingApps(directory: AppDirectory, { exchanges }: ActiveGrant): Promise<string[]> {
  const found = await Promise.all(
    exchanges.map(async ({ appId, resource }) => {
      const client = await directory.find(appId);
      return client ? [`${client.app.name} (${nameOfResource(client, resource)})`] : [];
    }),
  );
  return found.flat();
}
