import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { contentWords } from '../../support/console-visitor.js';
import { ConsoleStage } from '../../support/console-stage.js';
import { databaseFingerprint } from '../../support/database-fingerprint.js';
import { standing } from '../../support/form-fields.js';
import type { HostedAnswer } from '../../support/hosted-page.js';
import type { Person, TestClient } from '../../support/world.js';

interface Preview {
  readonly members: number;
  readonly locks_you_out: boolean;
  readonly effects: {
    readonly effect: string;
    readonly count: number;
    readonly users: Record<string, string | null>[];
  }[];
}

/** Columns of the file, as far as they do not differ from run to run. */
const FILE_HEAD = 'effect,rule,app_id,app,user_id,email,display_name,method_before,method_after';

describe('Preview of changed settings', () => {
  let stage: ConsoleStage;
  let app: TestClient;
  let ada: Person;
  let grace: Person;
  let token: string;

  beforeAll(async () => {
    stage = await ConsoleStage.open();
    token = (await stage.world.tokens(stage.tenantAdmin, stage.tenant.consoleAppId)).access_token;
    app = await stage.world.app(stage.tenant);
    ada = await stage.world.person(app, { email_verified: true });
    grace = await stage.world.person(app, { email_verified: false, display_name: 'Grace Hopper' });
    await stage.world.sql('UPDATE users SET totp_enabled_at = now() WHERE id = $1', [grace.id]);
  });

  afterAll(() => stage.close());

  const preview = (path: string, body: object, query = 'preview=true') =>
    stage.world.call<Preview>('POST', `${path}?${query}`, body, { token });

  it('names who is affected, how and by which rule, and writes nothing', async () => {
    const before = await databaseFingerprint(stage.world);
    const answer = await preview(`/admin/apps/${app.id}`, { config: { require_2fa: true } });
    expect(answer.status).toBe(200);
    const named = (person: Person, name: string, method: string) => ({
      user_id: person.id,
      email: person.email,
      display_name: name,
      app_id: app.id,
      app: expect.stringContaining('App '),
      rule: 'second_factor_set_up',
      method_before: method,
      method_after: method,
    });
    expect(answer.body).toEqual({
      members: 2,
      complete: true,
      locks_you_out: false,
      // Grace has one, and is asked for it already.
      effects: [{ effect: 'set_up_second_factor', count: 1, users: [named(ada, 'Ada Lovelace', 'password')] }],
    });
    expect(await databaseFingerprint(stage.world)).toEqual(before);
  });

  it.each([
    ['an unknown provider', { config: { allowed_providers: ['carrier_pigeon'] } }, 422],
    ['a field of another type', { config: { require_2fa: 'yes' } }, 422],
    ['what the caller must not change', { bundle_id: 'console.mine' }, 403],
  ])('refuses %s as the update does', async (_, body, status) => {
    const saved = await stage.world.call('PUT', `/admin/apps/${app.id}`, body, { token });
    const previewed = await preview(`/admin/apps/${app.id}`, body);
    expect([previewed.status, previewed.body]).toEqual([status, saved.body]);
    expect(saved.status).toBe(status);
  });

  it('must be asked for', async () => {
    expect((await preview(`/admin/apps/${app.id}`, { name: 'Other' }, '')).status).toBe(422);
    expect((await preview(`/admin/apps/${app.id}`, { name: 'Other' }, 'preview=false')).status).toBe(422);
  });

  it('looks at nobody where sign-in is not concerned', async () => {
    const { body } = await preview(`/admin/apps/${app.id}`, { name: 'Other', config: { redirect_uris: [] } });
    expect(body).toEqual({ members: 0, complete: true, locks_you_out: false, effects: [] });
  });

  it('of a tenant covers its apps, its Console included, and tells callers who lock themselves out', async () => {
    const { body } = await preview(`/admin/tenants/${stage.tenant.id}`, { require_2fa: true });
    expect([body.members, body.locks_you_out]).toEqual([3, false]);
    expect(body.effects.map(({ effect, count }) => [effect, count])).toEqual([['set_up_second_factor', 2]]);
    const console = await preview(`/admin/apps/${stage.tenant.consoleAppId}`, {
      config: { allowed_providers: ['passkey'] },
    });
    expect([console.status, console.body.locks_you_out]).toEqual([200, true]);
    expect(console.body.effects.map(({ effect, users }) => [effect, users.map((each) => each['rule'])])).toEqual([
      ['shut_out', ['method_allowed']],
    ]);
  });

  it('of a Console app knows what other tenants demand of their administrators', async () => {
    const strict = await stage.world.tenant({ require_2fa: true });
    const both = await stage.world.person({ id: stage.tenant.consoleAppId }, { display_name: 'Two tenants' });
    await stage.world.sql(
      `INSERT INTO enrollments (user_id, app_id, roles, status) VALUES ($1, $2, '{user}', 'active')`,
      [both.id, strict.consoleAppId],
    );
    const { body } = await preview(`/admin/apps/${stage.tenant.consoleAppId}`, { config: { require_2fa: true } });
    // They set one up already now, whichever console they enter.
    expect(body.effects.flatMap(({ users }) => users.map((each) => each['user_id']))).toEqual([stage.tenantAdmin.id]);
    await stage.world.sql('DELETE FROM enrollments WHERE user_id = $1', [both.id]);
  });

  it('names fifty, and all in the file, whose download is audited', async () => {
    const crowd = await stage.world.app(stage.tenant);
    await stage.world.sql(
      `WITH made AS (INSERT INTO users (id, email, email_canonical, display_name, created_at)
         SELECT gen_random_uuid(), 'crowd-' || i || '@example.com', 'crowd-' || i || '@example.com', '=Crowd ' || i, now() - i * interval '1 hour'
         FROM generate_series(1, 60) AS i RETURNING id)
       INSERT INTO enrollments (user_id, app_id, roles, status) SELECT id, $1, '{user}', 'active' FROM made`,
      [crowd.id],
    );
    const change = { config: { require_verified_email: true } };
    const { body } = await preview(`/admin/apps/${crowd.id}`, change);
    expect(body.effects.map(({ effect, count, users }) => [effect, count, users.length])).toEqual([
      ['verify_email', 60, 50],
    ]);
    expect(body.effects[0]!.users[0]!['email']).toBe('crowd-60@example.com');
    const file = await stage.world.call<string>('POST', `/admin/apps/${crowd.id}?preview=true&format=csv`, change, {
      token,
    });
    expect(file.headers.get('content-type')).toBe('text/csv; charset=utf-8');
    const lines = file.body.trimEnd().split('\r\n');
    expect([lines[0]!.replaceAll('"', ''), lines.length]).toEqual([FILE_HEAD, 61]);
    const [entry] = await stage.world.sql<{ app_id: string; metadata: object }>(
      `SELECT app_id, metadata FROM audit_entries WHERE action = 'user_list.exported' ORDER BY ordinal DESC LIMIT 1`,
    );
    expect(entry).toEqual({ app_id: crowd.id, metadata: { format: 'csv', of: 'preview' } });
  });

  describe('in the console', () => {
    const path = () => `/console/apps/${app.id}/sign-in`;
    /** Sends the form of a review page as it stands there. */
    const send = (page: HostedAnswer, action: string, fields: Record<string, string> = {}) =>
      stage.browser.post(action, { ...standing(page, action), ...fields });

    it('is shown before the form is saved, and saved with what was shown', async () => {
      const shown = await stage.fill(path(), { require_2fa: 'on' });
      expect([shown.status, (await stage.shown(app)).config['require_2fa']]).toEqual([200, false]);
      expect(contentWords(shown)).toContain('1 user must set up a second factor at the next sign-in');
      expect(contentWords(shown)).toContain(ada.email);
      const file = await send(shown, `${path()}/affected`, standing(shown, path()));
      expect([file.status, file.body.includes(ada.email), file.body.includes(grace.email)]).toEqual([200, true, false]);

      const saved = await send(shown, path());
      expect([saved.status, (await stage.shown(app)).config['require_2fa']]).toEqual([303, true]);
      const [entry] = await stage.world.sql<{ metadata: Record<string, unknown> }>(
        `SELECT metadata FROM audit_entries WHERE action = 'app.updated' AND app_id = $1 ORDER BY ordinal DESC LIMIT 1`,
        [app.id],
      );
      expect(entry!.metadata['prediction']).toEqual({ set_up_second_factor: 1 });
    });

    it('is shown again when the effect has changed meanwhile', async () => {
      const shown = await stage.fill(path(), { require_verified_email: 'on' });
      expect(contentWords(shown)).toContain('1 user must verify the e-mail address first');
      await stage.world.person(app, { email_verified: false });
      const again = await send(shown, path());
      expect([again.status, (await stage.shown(app)).config['require_verified_email']]).toEqual([200, false]);
      expect(contentWords(again)).toContain('The effect has changed since you looked');
      expect((await send(again, path())).status).toBe(303);
    });

    it('asks once more before operators lock themselves out', async () => {
      const own = `/console/apps/${stage.tenant.consoleAppId}/sign-in`;
      const shown = await stage.fill(own, {
        provider_password: null,
        provider_magic_link: null,
        provider_passkey: 'on',
      });
      expect(contentWords(shown)).toContain('You are one of the users who can no longer sign in');
      const refused = await send(shown, own);
      expect([refused.status, contentWords(refused).includes('Confirm that you want to lock yourself out')]).toEqual([
        422,
        true,
      ]);
      expect((await send(refused, own, { lock_me_out: 'on' })).status).toBe(303);
      await stage.world.asAdmin('PUT', `/admin/apps/${stage.tenant.consoleAppId}`, {
        config: { allowed_providers: ['password', 'magic_link'] },
      });
    });

    it('of a tenant is shown before its settings are saved', async () => {
      const settings = `/console/tenants/${stage.tenant.id}`;
      const page = await stage.browser.get('/console/tenant');
      const shown = await stage.browser.post(settings, { ...standing(page, settings), require_2fa: 'on' });
      expect([shown.status, contentWords(shown).includes('must set up a second factor')]).toEqual([200, true]);
      const file = await send(shown, `${settings}/affected`, standing(shown, settings));
      expect([file.status, file.body.includes(stage.tenantAdmin.email)]).toEqual([200, true]);
      expect((await send(shown, settings)).status).toBe(303);
      const [tenant] = await stage.world.sql('SELECT require_2fa FROM tenants WHERE id = $1', [stage.tenant.id]);
      expect(tenant).toEqual({ require_2fa: true });
    });
  });
});
