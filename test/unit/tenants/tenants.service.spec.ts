import { describe, expect, it } from '@jest/globals';
import type { Randomness } from '../../../src/common/randomness.js';
import type { Settings } from '../../../src/config/settings.js';
import { comparedIdentifier } from '../../../src/tenants/protected-resource.rules.js';
import type { Tenant } from '../../../src/tenants/tenant.entity.js';
import type { TenantsRepository } from '../../../src/tenants/tenants.repository.js';
import { TenantsService } from '../../../src/tenants/tenants.service.js';

const IDENTIFIER = 'https://api.acme.example/mcp';

describe('TenantsService.findByResource', () => {
  const asked: string[] = [];
  const tenant = { resources: [{ identifier: IDENTIFIER }] } as unknown as Tenant;
  const repository = {
    findByResource: (identifier: string) => {
      asked.push(identifier);
      return Promise.resolve(identifier === IDENTIFIER ? tenant : null);
    },
  } as unknown as TenantsRepository;
  const tenants = new TenantsService(repository, {} as Randomness, {} as Settings);

  it('finds the tenant by its own spelling', async () => {
    expect(await tenants.findByResource(IDENTIFIER)).toBe(tenant);
  });

  it.each([`${IDENTIFIER}/`, 'https://API.acme.example/mcp', 'https://other.example/'])(
    'finds none by %s',
    async (identifier) => {
      expect(await tenants.findByResource(identifier)).toBeNull();
    },
  );

  it('compares nothing that is longer than an identifier can be', async () => {
    asked.length = 0;
    expect(await tenants.findByResource(IDENTIFIER + '/'.repeat(513 - IDENTIFIER.length))).toBeNull();
    expect(asked).toEqual([]);
  });

  it.each([
    ['https://A.example//', 'https://a.example'],
    ['https://a.example//b', 'https://a.example//b'],
    ['///', ''],
    ['', ''],
  ])('compares %j as %j', (identifier, compared) => {
    expect(comparedIdentifier(identifier)).toBe(compared);
  });
});
