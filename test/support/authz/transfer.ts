import { expect } from '@jest/globals';
import type { Answer } from '../world.js';
import { unique } from '../world.js';
import type { Body, Exercises } from './exercise.js';
import { ids } from './visible.js';

const bodyOf = (answer: Answer<Body>) => answer.body as Record<string, unknown>;

/** Neither a secret nor a hash, under any name; nor an id of this instance. */
function expectNothingSecret(answer: Answer<Body>, ids: readonly string[]): void {
  const text = JSON.stringify(answer.body);
  expect(text).not.toMatch(/secret|hash|\$2[aby]\$|"id"/);
  for (const id of ids) expect(text).not.toContain(id);
}

/** Export and import. */
export const TRANSFER: Exercises = {
  'GET /admin/tenants/{t}/export': {
    forms: {
      'without users': async ({ tenant }) => ({ method: 'GET', path: `/admin/tenants/${tenant.id}/export` }),
      'include_users=false': async ({ tenant }) => ({
        method: 'GET',
        path: `/admin/tenants/${tenant.id}/export?include_users=false`,
      }),
      'include_users=true': async ({ tenant }) => ({
        method: 'GET',
        path: `/admin/tenants/${tenant.id}/export?include_users=true`,
      }),
    },
    check: async (answer, _actor, { tenant, app, sibling, world }) => {
      const { tenant: part, apps } = bodyOf(answer) as { tenant: object; apps: { name: string; users?: object[] }[] };
      expect(part).toHaveProperty('slug');
      const rows = await world.sql<{ name: string }>(
        'SELECT name FROM apps WHERE tenant_id = $1 AND NOT is_console_app',
        [tenant.id],
      );
      expect(apps.map(({ name }) => name).sort()).toEqual(rows.map(({ name }) => name).sort());
      expectNothingSecret(answer, [tenant.id, tenant.consoleAppId, app.id, sibling.id]);
    },
  },
  'POST /admin/tenants/import': {
    forms: {
      POST: async () => ({
        method: 'POST',
        path: '/admin/tenants/import',
        body: { tenant: { name: `T ${unique()}` }, apps: [{ name: 'App', bundle_id: `com.example.${unique()}` }] },
      }),
    },
    check: (answer) => expect(answer.body).toMatchObject({ apps: [{ name: 'App', bundle_id_kept: true }] }),
  },
  'GET /admin/apps/{a}/export': {
    forms: {
      'without users': async ({ app }) => ({ method: 'GET', path: `/admin/apps/${app.id}/export` }),
      'include_users=true': async ({ app }) => ({
        method: 'GET',
        path: `/admin/apps/${app.id}/export?include_users=true`,
      }),
    },
    check: async (answer, _actor, fixture) => {
      const { users } = bodyOf(answer) as { users?: { email: string }[] };
      const rows = await ids(
        fixture,
        'SELECT u.email AS id FROM users u JOIN enrollments e ON e.user_id = u.id WHERE e.app_id = $1',
        [fixture.app.id],
      );
      if (users) expect(users.map(({ email }) => email)).toEqual(rows);
      expectNothingSecret(answer, [fixture.tenant.id, fixture.app.id]);
    },
  },
  'POST /admin/apps/import': {
    forms: {
      POST: async ({ tenant }) => ({
        method: 'POST',
        path: '/admin/apps/import',
        body: { tenant_id: tenant.id, app: { name: 'App', bundle_id: `com.example.${unique()}` } },
      }),
    },
    check: (answer, _actor, { tenant }) =>
      expect(answer.body).toMatchObject({ tenant_id: tenant.id, client_secret: expect.stringMatching(/^[\w-]{43}$/) }),
  },
};
