import { expect } from '@jest/globals';
import type { AuthzFixture } from '../authz-fixture.js';
import type { Exercises } from './exercise.js';
import { ids, idsIn } from './visible.js';

/** A password reset link that was mailed to a member of `{a}`. */
async function mailed({ world, app }: AuthzFixture): Promise<string> {
  const user = await world.user(app);
  await world.asAdmin('POST', `/admin/users/${user.id}/apps/${app.id}/reset-link`);
  // Not by a worker: the fixture has no mail server.
  await world.sql(`UPDATE mail_log SET state = 'given_up', ended_at = now() WHERE user_id = $1`, [user.id]);
  return (await world.sql<{ id: string }>('SELECT id FROM mail_log WHERE user_id = $1', [user.id]))[0]!.id;
}

export const MAILS: Exercises = {
  'GET /admin/mails': {
    forms: {
      GET: async (fixture) => {
        await mailed(fixture);
        return { method: 'GET', path: '/admin/mails?limit=200' };
      },
    },
    check: async (answer, actor, fixture) => {
      const reach = fixture.reach(actor);
      const expected = await ids(
        fixture,
        `SELECT id FROM (SELECT id FROM mail_log WHERE $1 OR tenant_id = ANY($2) OR app_id = ANY($3)
                         ORDER BY created_at DESC, id DESC LIMIT 200) newest`,
        [reach === null, reach?.tenants ?? [], reach?.apps ?? []],
      );
      expect(idsIn(answer)).toEqual(expected);
    },
  },
  'POST /admin/mails/{m}/resend': {
    forms: { POST: async (fixture) => ({ method: 'POST', path: `/admin/mails/${await mailed(fixture)}/resend` }) },
    check: (answer) => expect(answer.body).toEqual({ status: 'ok' }),
  },
};
