import { expect } from '@jest/globals';
import type { AuthzFixture } from '../authz-fixture.js';
import { newInvite } from '../invites.js';
import { unique } from '../world.js';
import type { Exercise, Exercises } from './exercise.js';
import { ids, idsIn } from './visible.js';

const creating = (roles: string[]): Exercise => ({
  scope: 'invites:create',
  forms: {
    'app in the path': async ({ app }) => ({ method: 'POST', path: `/admin/apps/${app.id}/invites`, body: { roles } }),
    'app in the body': async ({ app }) => ({
      method: 'POST',
      path: '/admin/invites',
      body: { app_id: app.id, roles, max_uses: 3, expires_days: 2, send_to_email: `guest-${unique()}@example.com` },
    }),
  },
  check: (answer, _actor, fixture) =>
    expect(answer.body).toMatchObject({ app_id: fixture.app.id, roles, use_count: 0 }),
});

const target = ({ world, app }: AuthzFixture, fields: Record<string, unknown> = {}) => newInvite(world, app, fields);

export const INVITES: Exercises = {
  'POST /admin/apps/{a}/invites (alias POST /admin/invites), roles ⊆ [user]': creating(['user']),
  'POST same, roles with manager/admin': creating(['user', 'manager', 'admin']),
  'GET /admin/apps/{a}/invites': {
    forms: { GET: async ({ app }) => ({ method: 'GET', path: `/admin/apps/${app.id}/invites?limit=200` }) },
    check: async (answer, actor, fixture) => {
      const expected = await ids(
        fixture,
        `SELECT id FROM invites WHERE app_id = $1 AND ($2 OR roles = ARRAY['user'])`,
        [fixture.app.id, actor !== 'AM'],
      );
      expect(expected.length).toBeGreaterThan(0);
      expect(idsIn(answer)).toEqual(expected);
    },
  },
  'GET /admin/invites/{i}': {
    forms: { GET: async (fixture) => ({ method: 'GET', path: `/admin/invites/${(await target(fixture)).id}` }) },
    check: (answer, _actor, fixture) => expect(answer.body).toMatchObject({ app_id: fixture.app.id, status: 'usable' }),
  },
  'DELETE /admin/invites/{i}': {
    forms: { DELETE: async (fixture) => ({ method: 'DELETE', path: `/admin/invites/${(await target(fixture)).id}` }) },
    check: (answer) => expect(answer.body).toMatchObject({ status: 'exhausted', max_uses: 0 }),
  },
  'POST /admin/invites/{i}/resend': {
    forms: {
      'without a body': async (fixture) => {
        const { id } = await target(fixture, { send_to_email: `guest-${unique()}@example.com` });
        return { method: 'POST', path: `/admin/invites/${id}/resend` };
      },
      'to another address': async (fixture) => {
        const { id } = await target(fixture);
        const body = { send_to_email: `guest-${unique()}@example.com`, expires_days: 1 };
        return { method: 'POST', path: `/admin/invites/${id}/resend`, body };
      },
    },
    check: (answer) => expect(answer.body).toMatchObject({ status: 'usable', email_sent: true }),
  },
};
