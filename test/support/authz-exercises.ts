import { expect } from '@jest/globals';
import type { ActorName } from './authz-matrix.js';
import type { AuthzStage, Scope } from './authz-stage.js';
import { type Answer, unique } from './world.js';

interface Request {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
}

type Body = Record<string, unknown> & unknown[];

/** One row of the authorization matrix as requests: each of its spellings, with a target of its own for every try. */
export interface Exercise {
  /** What a service token needs here, where one may come at all. */
  readonly scope?: Scope;
  readonly forms: Readonly<Record<string, (stage: AuthzStage) => Promise<Request>>>;
  /** What a 2xx answer must (not) show. */
  readonly check?: (answer: Answer<Body>, actor: ActorName, stage: AuthzStage) => Promise<void> | void;
}

/** By name of the row. */
export const EXERCISES: Readonly<Record<string, Exercise>> = {
  'GET /admin/tenants': {
    forms: { GET: async () => ({ method: 'GET', path: '/admin/tenants' }) },
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
  'GET /admin/apps': {
    scope: 'apps:read',
    forms: { GET: async () => ({ method: 'GET', path: '/admin/apps' }) },
    check: async (answer, actor, stage) => {
      const service = actor.startsWith('S');
      const { tenants, apps } = service
        ? { tenants: [actor === 'S+' ? stage.tenant.id : stage.foreignTenant.id], apps: [] }
        : (stage.reach(actor) ?? { tenants: await ids(stage, 'SELECT id FROM tenants'), apps: [] });
      const expected = await ids(
        stage,
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
    check: (answer, _actor, stage) => expect(answer.body['tenant_id']).toBe(stage.tenant.id),
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
  'POST /admin/apps/{a}/regenerate-secret (alias PUT …/secret)': {
    forms: {
      POST: async ({ app }) => ({ method: 'POST', path: `/admin/apps/${app.id}/regenerate-secret` }),
      PUT: async ({ app }) => ({ method: 'PUT', path: `/admin/apps/${app.id}/secret` }),
    },
  },
  'GET /admin/users': {
    scope: 'users:read',
    forms: { GET: async () => ({ method: 'GET', path: '/admin/users?limit=200' }) },
    check: async (answer, actor, stage) => {
      const expected = await visiblePeople(stage, actor);
      expect(idsIn(answer)).toEqual(expected);
      expect(answer.headers.get('x-total-count')).toBe(String(expected.length));
    },
  },
  'POST /admin/users': {
    scope: 'users:create',
    forms: { POST: async (stage) => ({ method: 'POST', path: '/admin/users', body: stage.newUser() }) },
    check: async (answer, actor, stage) => {
      const rows = await stage.world.sql<{ app_id: string }>('SELECT app_id FROM enrollments WHERE user_id = $1', [
        answer.body['id'],
      ]);
      const own = { 'S+': [stage.app.id], 'S≠': [stage.foreignApp.id] } as Partial<Record<ActorName, string[]>>;
      expect(rows.map((row) => row.app_id)).toEqual(own[actor] ?? []);
    },
  },
  'GET /admin/users/search': {
    forms: {
      'everybody’s prefix': async () => ({ method: 'GET', path: '/admin/users/search?q=person-' }),
      'an empty prefix': async () => ({ method: 'GET', path: '/admin/users/search' }),
    },
    check: async (answer, actor, stage) => {
      const visible = new Set(await visiblePeople(stage, actor));
      expect(answer.body.length).toBeGreaterThan(0);
      expect(answer.body.length).toBeLessThanOrEqual(10);
      expect(idsIn(answer).filter((id) => !visible.has(id))).toEqual([]);
      for (const match of answer.body as object[])
        expect(Object.keys(match).sort()).toEqual(['display_name', 'email', 'id']);
    },
  },
  'GET /admin/users/{u}/detail': {
    forms: {
      GET: async (stage) => ({ method: 'GET', path: `/admin/users/${(await stage.target()).id}/detail` }),
    },
    check: (answer, _actor, stage) => {
      const { enrollments, tenant_roles } = answer.body as unknown as {
        enrollments: { app_id: string }[];
        tenant_roles: unknown[];
      };
      expect(enrollments.map((enrollment) => enrollment.app_id)).toEqual([stage.app.id]);
      expect(tenant_roles).toEqual([]);
      expect(JSON.stringify(answer.body)).not.toMatch(/hash|secret/);
    },
  },
  'PUT /admin/users/{u}/roles (alias POST /admin/users/roles)': {
    forms: {
      PUT: async (stage) => {
        const { id } = await stage.target();
        return { method: 'PUT', path: `/admin/users/${id}/roles`, body: { app_id: stage.app.id, roles: ['manager'] } };
      },
      POST: async (stage) => {
        const { id } = await stage.target();
        const body = { user_id: id, app_id: stage.app.id, roles: ['manager'] };
        return { method: 'POST', path: '/admin/users/roles', body };
      },
    },
    check: (answer, _actor, stage) =>
      expect(answer.body).toMatchObject({ app_id: stage.app.id, roles: ['user', 'manager'] }),
  },
  'POST /admin/users/{u}/suspend': {
    forms: {
      'app_id in the body': async (stage) => {
        const { id } = await stage.target();
        return { method: 'POST', path: `/admin/users/${id}/suspend`, body: { app_id: stage.app.id } };
      },
      'app_id in the query': async (stage) => {
        const { id } = await stage.target();
        return { method: 'POST', path: `/admin/users/${id}/suspend?app_id=${stage.app.id}` };
      },
    },
    check: (answer) => expect(answer.body).toMatchObject({ status: 'ok', enrollment_status: 'suspended' }),
  },
  'PUT /admin/users/{u}/apps/{a}/reactivate': {
    forms: {
      PUT: async (stage) => {
        const { id } = await stage.target();
        await stage.world.asAdmin('POST', `/admin/users/${id}/suspend`, { app_id: stage.app.id });
        return { method: 'PUT', path: `/admin/users/${id}/apps/${stage.app.id}/reactivate` };
      },
    },
    check: (answer) => expect(answer.body).toMatchObject({ status: 'ok', enrollment_status: 'active' }),
  },
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

async function ids(stage: AuthzStage, text: string, values: unknown[] = []): Promise<string[]> {
  return (await stage.world.sql<{ id: string }>(text, values)).map(({ id }) => id).sort();
}

function idsIn(answer: Answer<Body>): string[] {
  return (answer.body as { id: string }[]).map(({ id }) => id).sort();
}

function visiblePeople(stage: AuthzStage, actor: ActorName): Promise<string[]> {
  const reach = stage.reach(actor);
  if (!reach) return ids(stage, 'SELECT id FROM users');
  return ids(
    stage,
    `SELECT DISTINCT u.id FROM users u JOIN enrollments e ON e.user_id = u.id JOIN apps a ON a.id = e.app_id
     WHERE a.tenant_id = ANY($1) OR a.id = ANY($2)`,
    [reach.tenants, reach.apps],
  );
}
