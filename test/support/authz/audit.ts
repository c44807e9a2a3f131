import { expect } from '@jest/globals';
import type { Exercises } from './exercise.js';
import { ids, idsIn } from './visible.js';

/** The cell before number and hashes. */
const ID_CELL = /(?<=,)[0-9a-f-]{36}(?=,\d*,[0-9a-f]{0,64},[0-9a-f]{0,64}\r\n)/g;

export const AUDIT: Exercises = {
  'GET /admin/audit': {
    forms: { GET: async () => ({ method: 'GET', path: '/admin/audit?limit=500' }) },
    check: async (answer, actor, fixture) => {
      const reach = fixture.reach(actor);
      const expected = await ids(
        fixture,
        `SELECT id FROM (SELECT id FROM audit_entries WHERE $1 OR tenant_id = ANY($2) OR app_id = ANY($3)
                         ORDER BY created_at DESC, id DESC LIMIT 500) newest`,
        [reach === null, reach?.tenants ?? [], reach?.apps ?? []],
      );
      expect(expected.length).toBeGreaterThan(0);
      expect(idsIn(answer)).toEqual(expected);
    },
  },
  'GET /admin/audit/export': {
    forms: { GET: async () => ({ method: 'GET', path: '/admin/audit/export?format=csv' }) },
    check: async (answer, actor, fixture) => {
      const reach = fixture.reach(actor);
      const expected = await ids(
        fixture,
        `SELECT id FROM audit_entries WHERE $1 OR tenant_id = ANY($2) OR app_id = ANY($3)`,
        [reach === null, reach?.tenants ?? [], reach?.apps ?? []],
      );
      const exported: readonly string[] = String(answer.body).match(ID_CELL) ?? [];
      expect(exported.length).toBeGreaterThan(0);
      expect(exported.filter((id) => !expected.includes(id))).toEqual([]);
      // The export's own entry is written behind the snapshot.
      expect(expected.filter((id) => !exported.includes(id)).length).toBeLessThanOrEqual(1);
    },
  },
};
