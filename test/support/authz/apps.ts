import { expect } from '@jest/globals';
import { plainImage } from '../images.js';
import { logoForm } from '../multipart.js';
import { unique } from '../world.js';
import type { AuthzFixture } from '../authz-fixture.js';
import type { Exercises } from './exercise.js';
import { ids, idsIn } from './visible.js';

/** Another one each time, so that it changes something. */
async function anyLogo(): Promise<Buffer> {
  return logoForm(await plainImage('png', { width: 4, height: 4 }, `#${unique().slice(0, 6)}`));
}

/** An app of the tenant that no other row needs. */
async function spare({ world, tenant }: AuthzFixture, isArchived: boolean): Promise<string> {
  const { id } = await world.app(tenant);
  if (isArchived) await world.asAdmin('POST', `/admin/apps/${id}/archive`);
  return id;
}

export const APPS: Exercises = {
  'GET /admin/apps': {
    scope: 'apps:read',
    forms: { GET: async () => ({ method: 'GET', path: '/admin/apps?limit=200' }) },
    check: async (answer, actor, fixture) => {
      const service = actor.startsWith('S');
      const { tenants, apps } = service
        ? { tenants: [actor === 'S+' ? fixture.tenant.id : fixture.foreignTenant.id], apps: [] }
        : (fixture.reach(actor) ?? { tenants: await ids(fixture, 'SELECT id FROM tenants'), apps: [] });
      const expected = await ids(
        fixture,
        'SELECT id FROM apps WHERE (tenant_id = ANY($1) OR id = ANY($2)) AND (NOT is_console_app OR NOT $3)',
        [tenants, apps, service],
      );
      expect(idsIn(answer)).toEqual(expected);
      for (const app of answer.body as object[]) {
        if (actor === 'AM') expect(Object.keys(app).sort()).toEqual(['id', 'is_active', 'name', 'tenant_id']);
        else expect(app).toHaveProperty('config.redirect_uris');
        expect(JSON.stringify(app)).not.toMatch(/secret/);
      }
    },
  },
  'POST /admin/apps': {
    scope: 'apps:write',
    forms: {
      POST: async ({ tenant }) => ({
        method: 'POST',
        path: '/admin/apps',
        body: { name: 'App', tenant_id: tenant.id, bundle_id: `com.example.${unique()}` },
      }),
    },
    check: (answer, _actor, fixture) => expect(answer.body['tenant_id']).toBe(fixture.tenant.id),
  },
  'PUT /admin/apps/{a}': {
    scope: 'apps:write',
    forms: {
      PUT: async ({ app }) => ({
        method: 'PUT',
        path: `/admin/apps/${app.id}`,
        body: { name: `Renamed ${unique()}`, config: { token_lifetime_minutes: 20 } },
      }),
    },
  },
  'POST /admin/apps/{a}': {
    writesNothing: true,
    forms: {
      POST: async ({ app }) => ({
        method: 'POST',
        path: `/admin/apps/${app.id}?preview=true`,
        body: { config: { require_2fa: true } },
      }),
    },
    check: (answer) => expect(answer.body).toHaveProperty('effects'),
  },
  'POST /admin/apps/{a}/members': {
    writesNothing: true,
    forms: {
      POST: async (fixture) => ({
        method: 'POST',
        path: `/admin/apps/${fixture.app.id}/members?preview=true`,
        body: { act: 'suspend', user_ids: [(await fixture.target()).id] },
      }),
    },
    check: (answer) => expect(answer.body).toHaveProperty('effects'),
  },
  'POST /admin/providers/{provider}': {
    writesNothing: true,
    forms: {
      POST: async () => ({ method: 'POST', path: '/admin/providers/google?preview=true', body: { state: 'off' } }),
    },
    details: { 404: 'Unknown provider' },
  },
  'GET /admin/previews/{task}': {
    forms: { GET: async ({ app }) => ({ method: 'GET', path: `/admin/previews/${app.id}` }) },
    details: { 404: 'Task not found' },
  },
  'POST /admin/apps/{a}/logo': {
    forms: {
      POST: async ({ app }) => ({ method: 'POST', path: `/admin/apps/${app.id}/logo`, upload: await anyLogo() }),
    },
    check: (answer) => expect(JSON.stringify(answer.body)).toContain('data:image/png;base64,'),
  },
  'DELETE /admin/apps/{a}/logo': {
    forms: {
      DELETE: async ({ app, world }) => {
        await world.sql('UPDATE apps SET logo_data = $2 WHERE id = $1', [app.id, 'data:image/png;base64,AAAA']);
        return { method: 'DELETE', path: `/admin/apps/${app.id}/logo` };
      },
    },
    check: (answer) => expect(answer.body).toHaveProperty('config.branding.logo_data', null),
  },
  'POST /admin/apps/{a}/dark-logo': {
    forms: {
      POST: async ({ app }) => ({ method: 'POST', path: `/admin/apps/${app.id}/dark-logo`, upload: await anyLogo() }),
    },
    check: (answer) => expect(JSON.stringify(answer.body)).toContain('data:image/png;base64,'),
  },
  'DELETE /admin/apps/{a}/dark-logo': {
    forms: {
      DELETE: async ({ app, world }) => {
        await world.sql('UPDATE apps SET dark_logo_data = $2 WHERE id = $1', [app.id, 'data:image/png;base64,AAAA']);
        return { method: 'DELETE', path: `/admin/apps/${app.id}/dark-logo` };
      },
    },
    check: (answer) => expect(answer.body).toHaveProperty('config.branding.dark_logo_data', null),
  },
  'POST /admin/apps/{a}/favicon': {
    forms: {
      POST: async ({ app }) => ({ method: 'POST', path: `/admin/apps/${app.id}/favicon`, upload: await anyLogo() }),
    },
    check: (answer) => expect(JSON.stringify(answer.body)).toContain('data:image/png;base64,'),
  },
  'DELETE /admin/apps/{a}/favicon': {
    forms: {
      DELETE: async ({ app, world }) => {
        await world.sql('UPDATE apps SET favicon_data = $2 WHERE id = $1', [app.id, 'data:image/png;base64,AAAA']);
        return { method: 'DELETE', path: `/admin/apps/${app.id}/favicon` };
      },
    },
    check: (answer) => expect(answer.body).toHaveProperty('config.branding.favicon_data', null),
  },
  'POST /admin/apps/{a}/archive': {
    forms: {
      POST: async (fixture) => ({ method: 'POST', path: `/admin/apps/${await spare(fixture, false)}/archive` }),
    },
    check: (answer) => expect(answer.body).toMatchObject({ is_active: false, archived_at: expect.any(String) }),
  },
  'POST /admin/apps/{a}/restore': {
    forms: { POST: async (fixture) => ({ method: 'POST', path: `/admin/apps/${await spare(fixture, true)}/restore` }) },
    check: (answer) => expect(answer.body).toHaveProperty('archived_at', null),
  },
  'POST /admin/apps/{a}/regenerate-secret (alias PUT …/secret)': {
    forms: {
      POST: async ({ app }) => ({ method: 'POST', path: `/admin/apps/${app.id}/regenerate-secret` }),
      PUT: async ({ app }) => ({ method: 'PUT', path: `/admin/apps/${app.id}/secret` }),
    },
  },
};
