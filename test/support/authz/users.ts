import { expect } from '@jest/globals';
import type { ActorName } from '../authz-matrix.js';
import type { Exercises } from './exercise.js';
import { PASSWORD } from '../world.js';
import { idsIn, visibleUsers } from './visible.js';

export const USERS: Exercises = {
  'GET /admin/users': {
    scope: 'users:read',
    forms: { GET: async () => ({ method: 'GET', path: '/admin/users?limit=200' }) },
    check: async (answer, actor, fixture) => {
      const expected = await visibleUsers(fixture, actor);
      expect(idsIn(answer)).toEqual(expected);
      expect(answer.headers.get('x-total-count')).toBe(String(expected.length));
    },
  },
  'POST /admin/users': {
    scope: 'users:create',
    forms: { POST: async (fixture) => ({ method: 'POST', path: '/admin/users', body: fixture.newUser() }) },
    check: async (answer, actor, fixture) => {
      const rows = await fixture.world.sql<{ app_id: string }>('SELECT app_id FROM enrollments WHERE user_id = $1', [
        answer.body['id'],
      ]);
      const own = { 'S+': [fixture.app.id], 'S≠': [fixture.foreignApp.id] } as Partial<Record<ActorName, string[]>>;
      expect(rows.map((row) => row.app_id)).toEqual(own[actor] ?? []);
    },
  },
  'GET /admin/users/search': {
    forms: {
      'the prefix of all users': async () => ({ method: 'GET', path: '/admin/users/search?q=person-' }),
      'an empty prefix': async () => ({ method: 'GET', path: '/admin/users/search' }),
    },
    check: async (answer, actor, fixture) => {
      const visible = new Set(await visibleUsers(fixture, actor));
      expect(answer.body.length).toBeGreaterThan(0);
      expect(answer.body.length).toBeLessThanOrEqual(10);
      expect(idsIn(answer).filter((id) => !visible.has(id))).toEqual([]);
      for (const match of answer.body as object[])
        expect(Object.keys(match).sort()).toEqual(['display_name', 'email', 'id']);
    },
  },
  'GET /admin/users/{u}/detail': {
    forms: {
      GET: async (fixture) => ({ method: 'GET', path: `/admin/users/${(await fixture.target()).id}/detail` }),
    },
    check: (answer, _actor, fixture) => {
      const { enrollments, tenant_roles } = answer.body as unknown as {
        enrollments: { app_id: string }[];
        tenant_roles: unknown[];
      };
      expect(enrollments.map((enrollment) => enrollment.app_id)).toEqual([fixture.app.id]);
      expect(tenant_roles).toEqual([]);
      expect(JSON.stringify(answer.body)).not.toMatch(/hash|secret/);
    },
  },
  'PUT /admin/users/{u}/roles (alias POST /admin/users/roles)': {
    forms: {
      PUT: async (fixture) => {
        const { id } = await fixture.target();
        return {
          method: 'PUT',
          path: `/admin/users/${id}/roles`,
          body: { app_id: fixture.app.id, roles: ['manager'] },
        };
      },
      POST: async (fixture) => {
        const { id } = await fixture.target();
        const body = { user_id: id, app_id: fixture.app.id, roles: ['manager'] };
        return { method: 'POST', path: '/admin/users/roles', body };
      },
    },
    check: (answer, _actor, fixture) =>
      expect(answer.body).toMatchObject({ app_id: fixture.app.id, roles: ['user', 'manager'] }),
  },
  'POST /admin/users/{u}/suspend': {
    forms: {
      'app_id in the body': async (fixture) => {
        const { id } = await fixture.target();
        return { method: 'POST', path: `/admin/users/${id}/suspend`, body: { app_id: fixture.app.id } };
      },
      'app_id in the query': async (fixture) => {
        const { id } = await fixture.target();
        return { method: 'POST', path: `/admin/users/${id}/suspend?app_id=${fixture.app.id}` };
      },
    },
    check: (answer) => expect(answer.body).toMatchObject({ status: 'ok', enrollment_status: 'suspended' }),
  },
  'PUT /admin/me/password': {
    forms: {
      PUT: async () => {
        const body = { current_password: PASSWORD, new_password: PASSWORD };
        return { method: 'PUT', path: '/admin/me/password', body };
      },
    },
    // It ends the caller's own tokens as well, and other rows need them.
    check: async (_answer, actor, fixture) => fixture.signInAgain(actor),
  },
  'PUT /admin/users/{u}/apps/{a}/reactivate': {
    forms: {
      PUT: async (fixture) => {
        const { id } = await fixture.target();
        await fixture.world.asAdmin('POST', `/admin/users/${id}/suspend`, { app_id: fixture.app.id });
        return { method: 'PUT', path: `/admin/users/${id}/apps/${fixture.app.id}/reactivate` };
      },
    },
    check: (answer) => expect(answer.body).toMatchObject({ status: 'ok', enrollment_status: 'active' }),
  },
};
