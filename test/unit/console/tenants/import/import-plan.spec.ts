import { describe, expect, it } from '@jest/globals';
import { planGroups } from '../../../../../src/console/tenants/import/import-plan.js';

const NOTHING = { tenants: [], apps: [], users: [] };
const PLAN = { create: NOTHING, update: NOTHING, unchanged: NOTHING, sign_in: [] };

describe('Preview of an import', () => {
  const passkeysIn = (passkeys?: { create: number; other_host: number }) =>
    planGroups({ ...PLAN, ...(passkeys ? { passkeys } : {}) })
      .filter(({ title }) => /passkeys/i.test(title))
      .map(({ title, count, rows }) => [title, count, rows.length]);

  it('says how many passkeys are skipped, and why', () => {
    expect(passkeysIn({ create: 2, other_host: 3 })).toEqual([
      ['Skipped passkeys', 3, 1],
      ['Passkeys to create', 2, 0],
    ]);
    expect(passkeysIn({ create: 2, other_host: 0 })[0]).toEqual(['Skipped passkeys', 0, 0]);
  });

  const resourcesIn = (resources?: { create: string[]; taken: string[] }) =>
    planGroups({ ...PLAN, ...(resources ? { resources } : {}) })
      .filter(({ title }) => /resources/i.test(title))
      .map(({ title, count, rows, isOpen }) => [title, count, rows.map(({ name }) => name), isOpen]);

  it('names the protected resources that are left out, and those that are not', () => {
    expect(resourcesIn({ create: ['urn:a'], taken: ['urn:b', 'urn:c'] })).toEqual([
      ['Skipped protected resources', 2, ['urn:b', 'urn:c'], true],
      ['Protected resources to create', 1, ['urn:a'], false],
    ]);
    expect(resourcesIn()).toEqual([]);
  });

  it('has no word on passkeys where the document has none', () => {
    expect(passkeysIn()).toEqual([]);
  });
});
