import { expect } from '@jest/globals';
import { unique } from '../world.js';
import type { Exercises } from './exercise.js';
import { ids, idsIn } from './visible.js';

export const TENANTS: Exercises = {
  'GET /admin/tenants': {
    forms: { GET: async () => ({ method: 'GET', path: '/admin/tenants?limit=200' }) },
    check: async (answer, actor, stage) => {
      const reach = stage.reach(actor);
      const expected = reach?.tenants ?? (await ids(stage, 'SELECT id FROM tenants'));
      expect(idsIn(answer)).toEqual([...expected].sort());
    },
  },
  'POST /admin/tenants': {
    forms: { POST: async () => ({ method: 'POST', path: '/admin/tenants', body: { name: `T ${unique()}` } }) },
  },
  'PATCH /admin/tenants/{t}': {
    forms: {
      PATCH: async ({ tenant }) => ({
        method: 'PATCH',
        path: `/admin/tenants/${tenant.id}`,
        body: { name: `Renamed ${unique()}`, min_password_length: 9 },
      }),
    },
  },
};
