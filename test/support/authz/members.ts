import { expect } from '@jest/globals';
import type { AuthzFixture } from '../authz-fixture.js';
import { enroll } from '../second-factor.js';
import type { Exercises } from './exercise.js';

/** A user whose request for access to `{a}` waits. */
async function applicant(fixture: AuthzFixture) {
  const user = await fixture.target();
  await fixture.world.sql(`UPDATE enrollments SET status = 'pending' WHERE user_id = $1`, [user.id]);
  return user;
}

/** A user who has allowed `{a}` access. */
async function consenting(fixture: AuthzFixture) {
  const user = await fixture.target();
  await fixture.world.sql(
    `INSERT INTO consents (user_id, app_id, resource, scopes, asked) VALUES ($1, $2, '', '{openid}', '{openid}')`,
    [user.id, fixture.app.id],
  );
  return user;
}

/** What is done to accounts and to places in an app, beside the rows of `users.ts`. */
export const MEMBERS: Exercises = {
  'PUT /admin/users/{u}/password': {
    forms: {
      PUT: async (fixture) => {
        const { id } = await fixture.target();
        return { method: 'PUT', path: `/admin/users/${id}/password`, body: { new_password: 'another good password' } };
      },
    },
    check: (answer) => expect(answer.body).toEqual({ status: 'ok' }),
  },
  'PATCH /admin/users/{u}': {
    forms: {
      PATCH: async (fixture) => {
        const { id } = await fixture.target();
        return { method: 'PATCH', path: `/admin/users/${id}`, body: { display_name: 'Grace Hopper' } };
      },
    },
    check: (answer) => expect(answer.body).toMatchObject({ display_name: 'Grace Hopper' }),
  },
  'PUT /admin/users/{u}/promote': {
    forms: {
      PUT: async (fixture) => ({ method: 'PUT', path: `/admin/users/${(await fixture.target()).id}/promote` }),
    },
    check: async (answer, _actor, fixture) => {
      expect(answer.body).toMatchObject({ is_platform_admin: true });
      // Or every later list of users would have one administrator more to explain.
      await fixture.world.sql('UPDATE users SET is_platform_admin = false WHERE id = $1', [answer.body['id']]);
    },
  },
  'POST /admin/users/{u}/totp/reset': {
    forms: {
      POST: async (fixture) => {
        const user = await fixture.target();
        await enroll(fixture.world, user, fixture.app.id);
        return { method: 'POST', path: `/admin/users/${user.id}/totp/reset` };
      },
    },
    check: (answer) => expect(answer.body).toEqual({ status: 'ok' }),
  },
  'GET /admin/users/{u}/passkeys': {
    forms: {
      GET: async (fixture) => ({ method: 'GET', path: `/admin/users/${(await fixture.target()).id}/passkeys` }),
    },
    check: (answer) => expect(answer.body).toEqual([]),
  },
  'DELETE /admin/users/{u}/passkeys/{passkey}': {
    forms: {
      DELETE: async (fixture) => {
        const user = await fixture.target();
        const [passkey] = await fixture.world.sql<{ id: string }>(
          `INSERT INTO passkeys (id, user_id, rp_id, credential_id, public_key, sign_count, aaguid, transports, is_synced,
             is_backed_up)
           VALUES (gen_random_uuid(), $1, 'localhost', decode(md5(random()::text), 'hex'), '', 0, gen_random_uuid(), '{}',
             true, true) RETURNING id`,
          [user.id],
        );
        return { method: 'DELETE', path: `/admin/users/${user.id}/passkeys/${passkey!.id}` };
      },
    },
    check: (answer) => expect(answer.body).toEqual({ status: 'ok' }),
  },
  'GET /admin/users/{u}/consents': {
    forms: {
      GET: async (fixture) => ({ method: 'GET', path: `/admin/users/${(await consenting(fixture)).id}/consents` }),
    },
    check: (answer, _actor, fixture) =>
      expect(answer.body).toMatchObject([{ app_id: fixture.app.id, resource: null, scopes: ['openid'] }]),
  },
  'DELETE /admin/users/{u}/consents/{a}': {
    forms: {
      DELETE: async (fixture) => {
        const { id } = await consenting(fixture);
        return { method: 'DELETE', path: `/admin/users/${id}/consents/${fixture.app.id}` };
      },
    },
    check: (answer) => expect(answer.body).toEqual({ status: 'ok' }),
  },
  'GET /admin/users/{u}/impact': {
    forms: { GET: async (fixture) => ({ method: 'GET', path: `/admin/users/${(await fixture.target()).id}/impact` }) },
    check: (answer) => expect(answer.body).toMatchObject({ enrollments: 1, is_last_platform_admin: false }),
  },
  'POST /admin/users/{u}/acts': {
    writesNothing: true,
    forms: {
      POST: async (fixture) => ({
        method: 'POST',
        path: `/admin/users/${(await fixture.target()).id}/acts?preview=true`,
        body: { act: 'delete' },
      }),
    },
    check: (answer) => expect(answer.body).toMatchObject({ users: 1 }),
  },
  'DELETE /admin/users/{u} (no app_id)': {
    forms: {
      'no body': async (fixture) => ({ method: 'DELETE', path: `/admin/users/${(await fixture.target()).id}` }),
      'an empty object': async (fixture) => ({
        method: 'DELETE',
        path: `/admin/users/${(await fixture.target()).id}`,
        body: {},
      }),
    },
    check: (answer) => expect(answer.body).toEqual({ status: 'ok' }),
  },
  'DELETE /admin/users/{u} (body app_id)': {
    forms: {
      'app_id in the body': async (fixture) => {
        const { id } = await fixture.target();
        return { method: 'DELETE', path: `/admin/users/${id}`, body: { app_id: fixture.app.id } };
      },
      'app_id in the query': async (fixture) => {
        const { id } = await fixture.target();
        return { method: 'DELETE', path: `/admin/users/${id}?app_id=${fixture.app.id}` };
      },
    },
    check: (answer) => expect(answer.body).toEqual({ status: 'ok' }),
  },
  'DELETE /admin/users/{u}/apps/{a}': {
    forms: {
      DELETE: async (fixture) => {
        const { id } = await fixture.target();
        return { method: 'DELETE', path: `/admin/users/${id}/apps/${fixture.app.id}` };
      },
    },
    check: (answer) => expect(answer.body).toEqual({ status: 'ok' }),
  },
  'PUT /admin/users/{u}/apps/{a}/approve': {
    forms: {
      PUT: async (fixture) => {
        const { id } = await applicant(fixture);
        return { method: 'PUT', path: `/admin/users/${id}/apps/${fixture.app.id}/approve` };
      },
    },
    check: (answer) => expect(answer.body).toMatchObject({ status: 'ok', enrollment_status: 'active' }),
  },
  'POST /admin/users/{u}/apps/{a}/reset-link': {
    forms: {
      POST: async (fixture) => {
        const { id } = await fixture.target();
        return { method: 'POST', path: `/admin/users/${id}/apps/${fixture.app.id}/reset-link` };
      },
    },
    check: (answer) => expect(answer.body).toEqual({ status: 'ok' }),
  },
  'POST /admin/users/{u}/apps/{a}/verification-link': {
    forms: {
      POST: async (fixture) => {
        const { id } = await fixture.target();
        await fixture.world.sql('UPDATE users SET email_verified = false WHERE id = $1', [id]);
        return { method: 'POST', path: `/admin/users/${id}/apps/${fixture.app.id}/verification-link` };
      },
    },
    check: (answer) => expect(answer.body).toEqual({ status: 'ok' }),
  },
  'DELETE /admin/users/{u}/apps/{a}/deny': {
    forms: {
      DELETE: async (fixture) => {
        const { id } = await applicant(fixture);
        return { method: 'DELETE', path: `/admin/users/${id}/apps/${fixture.app.id}/deny` };
      },
    },
    check: (answer) => expect(answer.body).toEqual({ status: 'ok' }),
  },
  'GET /admin/users/{u}/access-check': {
    forms: {
      GET: async (fixture) => ({
        method: 'GET',
        path: `/admin/users/${(await fixture.target()).id}/access-check?app_id=${fixture.app.id}`,
      }),
    },
    check: (answer, _actor, fixture) => expect(answer.body).toMatchObject({ app_id: fixture.app.id, allowed: true }),
  },
  'GET /admin/users/{u}/rate-limits': {
    forms: {
      GET: async (fixture) => ({ method: 'GET', path: `/admin/users/${(await fixture.target()).id}/rate-limits` }),
    },
    check: (answer) => expect(Object.keys(answer.body).sort()).toEqual(['email', 'rate_limits', 'user_id']),
  },
  'POST /admin/users/{u}/rate-limits/clear': {
    writesNothing: true,
    forms: {
      POST: async (fixture) => ({
        method: 'POST',
        path: `/admin/users/${(await fixture.target()).id}/rate-limits/clear`,
      }),
    },
    check: (answer) => expect(answer.body).toEqual({ status: 'ok' }),
  },
};
