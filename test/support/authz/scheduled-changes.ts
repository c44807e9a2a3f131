import { expect } from '@jest/globals';
import type { AuthzFixture } from '../authz-fixture.js';
import type { Exercises } from './exercise.js';
import { ids, idsIn } from './visible.js';

const WITHIN_A_DAY_MS = 12 * 60 * 60 * 1000;

const plan = (change: object) => ({ effective_at: new Date(Date.now() + WITHIN_A_DAY_MS).toISOString(), change });

/** A planned change of `{a}`. Those before are gone: there may be no more than 50. */
async function planned({ world, app }: AuthzFixture): Promise<string> {
  await world.sql('DELETE FROM scheduled_changes');
  const body = plan({ config: { token_lifetime_minutes: 20 } });
  return (await world.asAdmin<{ id: string }>('POST', `/admin/apps/${app.id}/scheduled-changes`, body)).id;
}

const NOT_FOUND = { 404: 'Scheduled change not found' };

export const SCHEDULED_CHANGES: Exercises = {
  'POST /admin/apps/{a}/scheduled-changes': {
    scope: 'apps:write',
    forms: {
      POST: async ({ app }) => ({
        method: 'POST',
        path: `/admin/apps/${app.id}/scheduled-changes`,
        body: plan({ config: { token_lifetime_minutes: 20 } }),
      }),
    },
  },
  'POST /admin/tenants/{t}/scheduled-changes': {
    forms: {
      POST: async ({ tenant }) => ({
        method: 'POST',
        path: `/admin/tenants/${tenant.id}/scheduled-changes`,
        body: plan({ min_password_length: 9 }),
      }),
    },
  },
  'GET /admin/scheduled-changes': {
    scope: 'apps:read',
    forms: {
      GET: async (fixture) => {
        await planned(fixture);
        return { method: 'GET', path: '/admin/scheduled-changes' };
      },
    },
    check: async (answer, actor, fixture) => {
      const all = await ids(fixture, 'SELECT id FROM scheduled_changes');
      const isFar = ['TA≠', 'AA≠', 'S≠'].includes(actor);
      expect(idsIn(answer)).toEqual(isFar ? [] : all);
    },
  },
  'GET /admin/scheduled-changes/{change}': {
    scope: 'apps:read',
    forms: { GET: async (fixture) => ({ method: 'GET', path: `/admin/scheduled-changes/${await planned(fixture)}` }) },
    details: NOT_FOUND,
  },
  'DELETE /admin/scheduled-changes/{change}': {
    scope: 'apps:write',
    forms: {
      DELETE: async (fixture) => ({ method: 'DELETE', path: `/admin/scheduled-changes/${await planned(fixture)}` }),
    },
    details: NOT_FOUND,
    check: (answer) => expect(answer.body).toEqual({ status: 'ok' }),
  },
};
