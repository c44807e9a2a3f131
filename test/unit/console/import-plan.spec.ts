import { describe, expect, it } from '@jest/globals';
import { planGroups } from '../../../src/console/tenants/import-plan.js';

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

  it('has no word on passkeys where the document has none', () => {
    expect(passkeysIn()).toEqual([]);
  });
});
