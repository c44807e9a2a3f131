import { expect } from '@jest/globals';
import { unique } from '../world.js';
import type { Exercises } from './exercise.js';
import { ids, idsIn } from './visible.js';

export const TENANTS: Exercises = {
  'GET /admin/tenants': {
    forms: { GET: async () => ({ method: 'GET', path: '/admin/tenants?limit=200' }) },
    check: async (answer, actor, fixture) => {
      const reach = fixture.reach(actor);
      const expected = reach?.tenants ?? (await ids(fixture, 'SELECT id FROM tenants'));
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
  'POST /admin/tenants/{t}': {
    writesNothing: true,
    forms: {
      POST: async ({ tenant }) => ({
        method: 'POST',
        path: `/admin/tenants/${tenant.id}?preview=true`,
        body: { require_2fa: true },
      }),
    },
    check: (answer) => expect(answer.body).toHaveProperty('effects'),
  },
  'GET /admin/tenants/{t}/admins': {
    forms: { GET: async ({ tenant }) => ({ method: 'GET', path: `/admin/tenants/${tenant.id}/admins?limit=200` }) },
    check: async (answer, _actor, fixture) => {
      const expected = await ids(fixture, 'SELECT user_id AS id FROM enrollments WHERE app_id = $1', [
        fixture.tenant.consoleAppId,
      ]);
      expect((answer.body as { user_id: string }[]).map(({ user_id }) => user_id).sort()).toEqual(expected);
    },
  },
  'POST /admin/tenants/{t}/admins': {
    forms: {
      'a user_id': async (fixture) => {
        const body = { user_id: (await fixture.target()).id };
        return { method: 'POST', path: `/admin/tenants/${fixture.tenant.id}/admins`, body };
      },
      'the address of a verified account': async (fixture) => {
        const body = { email: (await fixture.target()).email };
        return { method: 'POST', path: `/admin/tenants/${fixture.tenant.id}/admins`, body };
      },
      'an unknown address': async ({ tenant }) => ({
        method: 'POST',
        path: `/admin/tenants/${tenant.id}/admins`,
        body: { email: `unknown-${unique()}@example.com` },
      }),
    },
  },
  'DELETE /admin/tenants/{t}/admins/{u}': {
    forms: {
      DELETE: async (fixture) => {
        const { id } = await fixture.world.tenantAdmin(fixture.tenant);
        return { method: 'DELETE', path: `/admin/tenants/${fixture.tenant.id}/admins/${id}` };
      },
    },
    check: (answer) => expect(answer.body).toEqual({ status: 'ok' }),
  },
};
