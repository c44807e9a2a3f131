import { expect } from '@jest/globals';
import type { Exercises } from './exercise.js';
import { ids, idsIn } from './visible.js';

export const AUDIT: Exercises = {
  'GET /admin/audit': {
    forms: { GET: async () => ({ method: 'GET', path: '/admin/audit?limit=500' }) },
    check: async (answer, actor, stage) => {
      const reach = stage.reach(actor);
      const expected = await ids(
        stage,
        `SELECT id FROM (SELECT id FROM audit_entries WHERE $1 OR tenant_id = ANY($2) OR app_id = ANY($3)
                         ORDER BY created_at DESC, id DESC LIMIT 500) newest`,
        [reach === null, reach?.tenants ?? [], reach?.apps ?? []],
      );
      expect(expected.length).toBeGreaterThan(0);
      expect(idsIn(answer)).toEqual(expected);
    },
  },
};
