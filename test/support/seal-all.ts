import { AuditChainsRepository } from '../../src/audit/chain/audit-chains.repository.js';
import { AuditSealer } from '../../src/audit/chain/audit-sealer.js';
import type { TestApp } from './test-app.js';
import { eventually } from './wait.js';

/** Seals every entry. A run passes over a chain that the service's own timer is sealing, and ends before that has. */
export async function sealAll({ nest }: Pick<TestApp, 'nest'>): Promise<void> {
  const sealer = nest.get<AuditSealer>(AuditSealer, { strict: false });
  const chains = nest.get<AuditChainsRepository>(AuditChainsRepository, { strict: false });
  await eventually('every entry is sealed', async () => {
    await sealer.run();
    return (await chains.countUnsealed(null)) === 0;
  });
}
