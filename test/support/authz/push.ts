import { randomBytes } from 'node:crypto';
import { expect } from '@jest/globals';
import type { AuthzFixture } from '../authz-fixture.js';
import { type TestUser, unique } from '../world.js';
import type { Exercise, Exercises } from './exercise.js';
import { ids } from './visible.js';

/** The specification's word at the push endpoints. */
const NO_TOKEN = { details: { 401: 'Invalid token' } } as const;

/** Quota enough for every cell. */
async function withPush({ world, app, foreignApp }: AuthzFixture): Promise<void> {
  for (const { id } of [app, foreignApp])
    await world.asAdmin('PATCH', `/push/config/${id}`, { enabled: true, daily_quota: 1_000_000 });
}

async function device(fixture: AuthzFixture, owner: TestUser): Promise<string> {
  await withPush(fixture);
  const { access_token } = await fixture.world.tokens(owner, fixture.app.id);
  const body = { app_id: fixture.app.id, platform: 'ios', push_token: randomBytes(16).toString('hex') };
  const answer = await fixture.world.call<{ device_id: string }>('POST', '/push/devices/register', body, {
    token: access_token,
  });
  expect(answer.status).toBe(201);
  return answer.body.device_id;
}

const sending = (path: string, body: (userId: string) => Record<string, unknown>): Exercise['forms'][string] => {
  return async (fixture) => {
    await withPush(fixture);
    return { method: 'POST', path, body: body((await fixture.target()).id) };
  };
};

let nextQuota = 1_000;

const message = { title: 'Hello', body: 'There' };

export const PUSH: Exercises = {
  'PATCH /push/config/{a}': {
    ...NO_TOKEN,
    forms: {
      // Another quota each time: settings that do not change write nothing.
      PATCH: async ({ app }) => ({
        method: 'PATCH',
        path: `/push/config/${app.id}`,
        body: { enabled: true, daily_quota: nextQuota++ },
      }),
    },
    check: (answer) => expect(answer.body).toMatchObject({ enabled: true, webhook_secret: expect.any(String) }),
  },
  'GET /push/config/{a}': {
    ...NO_TOKEN,
    forms: { GET: async ({ app }) => ({ method: 'GET', path: `/push/config/${app.id}` }) },
    check: (answer) => expect(answer.body).toMatchObject({ daily_quota: expect.any(Number) }),
  },
  'GET /push/devices/{a}': {
    ...NO_TOKEN,
    forms: {
      GET: async (fixture) => {
        await device(fixture, await fixture.target());
        return { method: 'GET', path: `/push/devices/${fixture.app.id}?limit=200` };
      },
    },
    check: async (answer, _actor, fixture) => {
      const { devices } = answer.body as unknown as { devices: { device_id: string }[] };
      const expected = await ids(fixture, 'SELECT id FROM push_devices WHERE app_id = $1', [fixture.app.id]);
      expect(expected.length).toBeGreaterThan(0);
      expect(devices.map(({ device_id }) => device_id).sort()).toEqual(expected);
    },
  },
  'POST /push/devices/register': {
    ...NO_TOKEN,
    forms: {
      POST: async (fixture) => {
        await withPush(fixture);
        const body = { app_id: fixture.app.id, platform: 'android', push_token: `t-${unique()}` };
        return { method: 'POST', path: '/push/devices/register', body };
      },
    },
    check: (answer) => expect(answer.body).toEqual({ device_id: expect.any(String) }),
  },
  'DELETE /push/devices/{d} (a device of U)': {
    details: { 401: 'Invalid token', 404: 'Device not found' },
    scope: 'push:send',
    forms: {
      DELETE: async (fixture) => ({
        method: 'DELETE',
        path: `/push/devices/${await device(fixture, fixture.users.get('U')!)}`,
      }),
    },
    check: (answer) => expect(answer.body).toEqual({ status: 'ok' }),
  },
  'POST /push/send, /push/send/bulk, /push/send/batch': {
    details: { 400: 'User not enrolled', 401: 'Invalid token', 403: 'Missing required scope' },
    // Which item of a batch.
    beside: ['index'],
    scope: 'push:send',
    forms: {
      one: sending('/push/send', (user_id) => ({ user_id, ...message })),
      bulk: sending('/push/send/bulk', (userId) => ({ user_ids: [userId], ...message })),
      batch: sending('/push/send/batch', (user_id) => ({ notifications: [{ user_id, ...message }] })),
    },
  },
};
