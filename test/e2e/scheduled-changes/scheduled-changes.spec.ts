import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { ChangePreviews } from '../../../src/previews/changes/change-previews.service.js';
import { PreviewLimiter } from '../../../src/previews/proposals/preview-limiter.js';
import { AppDirectory } from '../../../src/apps/directory/app-directory.js';
import { DueChangesJob } from '../../../src/operators/scheduled-changes/execution/due-changes.job.js';
import { ScheduledNoticesJob } from '../../../src/operators/scheduled-changes/notices/scheduled-notices.job.js';
import { message } from '../../../src/common/i18n/message.js';
import { OWN_BRAND } from '../../../src/common/pages/brand/brand.js';
import { Transactions } from '../../../src/database/transactions.js';
import { MailService } from '../../../src/mail/sending/mail.service.js';
import { ScheduledExecution } from '../../../src/operators/scheduled-changes/execution/scheduled-execution.service.js';
import type { RoundState } from '../../../src/operators/scheduled-changes/execution/change-rounds.js';
import { ScheduledChangesRepository } from '../../../src/operators/scheduled-changes/planning/scheduled-changes.repository.js';
import { ScheduledNoticesRepository } from '../../../src/operators/scheduled-changes/notices/scheduled-notices.repository.js';
import {
  type NoticeProgress,
  ScheduledNotices,
} from '../../../src/operators/scheduled-changes/notices/scheduled-notices.service.js';
import { RateLimitsService } from '../../../src/rate-limits/rate-limits.service.js';
import { sendForm, visitAccount } from '../../support/account-visitor.js';
import {
  OWN_LINK,
  actAs,
  contentToken,
  contentWords,
  sendConsoleForm,
  visitConsole,
} from '../../support/console-visitor.js';
import { standing } from '../../support/form-fields.js';
import { HostedBrowser, loginPath } from '../../support/hosted-page.js';
import { newInvite } from '../../support/invites.js';
import { type MailingService, startMailingService } from '../../support/mailing-service.js';
import { asAnotherRequest } from '../../support/one-connection.js';
import { passkeySettings } from '../../support/passkeys.js';
import { newAddress } from '../../support/new-user.js';
import { holdRows, waitersForLocks } from '../../support/row-locks.js';
import { eventually } from '../../support/wait.js';
import type { TestUser, TestClient, TestTenant, Tokens, World } from '../../support/world.js';

interface Scheduled {
  readonly id: string;
  readonly app_id: string | null;
  readonly state: string;
  readonly planned_by: string | null;
  readonly planned_by_app: string | null;
  readonly effective_at: string;
  readonly prediction_then: object | null;
  readonly prediction_now: object | null;
  readonly failure: { reason: string; detail: string | null; changed: object[] } | null;
  readonly detail?: unknown;
}

const ahead = (minutes: number) => new Date(Date.now() + minutes * 60_000).toISOString();
const IN_A_WEEK = 7 * 24 * 60;

describe('Scheduled change', () => {
  let mailing: MailingService;
  let world: World;
  let tenant: TestTenant;
  let admin: TestUser;
  let token: string;
  let app: TestClient;
  /** Rows that a test holds: it lets go of them also where it fails. */
  const held = new Set<() => Promise<void>>();

  beforeAll(async () => {
    mailing = await startMailingService({
      ...(await passkeySettings()),
      rateLimits: { enabled: false, overrides: {} },
    });
    ({ world } = mailing);
    tenant = await world.tenant();
    admin = await world.tenantAdmin(tenant);
    token = (await world.tokens(admin, tenant.consoleAppId)).access_token;
    app = await world.app(tenant);
  });

  afterEach(async () => {
    for (const release of held) await release();
  });
  afterAll(() => mailing.close());

  const ask = (path: string, change: object, more: object = {}, as = token) =>
    world.call<Scheduled>(
      'POST',
      `${path}/scheduled-changes`,
      { effective_at: ahead(IN_A_WEEK), change, ...more },
      { token: as },
    );
  const planned = async (target: TestClient | TestTenant, change: object, more: object = {}, as = token) => {
    const path = 'consoleAppId' in target ? `/admin/tenants/${target.id}` : `/admin/apps/${target.id}`;
    const answer = await ask(path, change, more, as);
    expect([answer.status, answer.body.detail]).toEqual([201, undefined]);
    return answer.body;
  };
  const shown = async (id: string) =>
    (await world.call<Scheduled>('GET', `/admin/scheduled-changes/${id}`, undefined, { token })).body;
  const dueNow = (id: string, shift = '-1 second') =>
    world.sql('UPDATE scheduled_changes SET effective_at = now() + $2::interval WHERE id = $1', [id, shift]);
  const run = () => mailing.service.nest.get(DueChangesJob, { strict: false }).run();
  const dueAndRun = async (id: string): Promise<Scheduled> => {
    await dueNow(id);
    await run();
    return shown(id);
  };
  const configOf = async ({ id }: TestClient) =>
    (await world.sql<{ config: Record<string, unknown> }>('SELECT config FROM apps WHERE id = $1', [id]))[0]!.config;
  const entries = (target: string) =>
    world.sql<{ action: string; actor_id: string | null; metadata: Record<string, unknown> }>(
      `SELECT action, actor_id, metadata FROM audit_entries
       WHERE target_id = $1 OR metadata ->> 'scheduled_change' = $1 ORDER BY ordinal`,
      [target],
    );
  const actionsOf = async (id: string) => (await entries(id)).map(({ action }) => action);
  /** Another administrator of the tenant, with their token. */
  const otherAdmin = async (): Promise<{ user: TestUser; token: string }> => {
    const user = await world.tenantAdmin(tenant);
    return { user, token: (await world.tokens(user, tenant.consoleAppId)).access_token };
  };

  it('is made when its time has come, with the prediction of then and of now, and an audit entry that names it', async () => {
    const shop = await world.app(tenant);
    await world.user(shop);
    const change = await planned(shop, { config: { require_2fa: true } });
    expect(change).toMatchObject({
      app_id: shop.id,
      state: 'planned',
      planned_by: admin.id,
      prediction_then: { set_up_second_factor: 1 },
      prediction_now: null,
      failure: null,
    });
    await run();
    expect((await configOf(shop))['require_2fa']).toBe(false);
    await world.user(shop);
    expect(await dueAndRun(change.id)).toMatchObject({
      state: 'executed',
      prediction_now: { set_up_second_factor: 2 },
      failure: null,
    });
    expect((await configOf(shop))['require_2fa']).toBe(true);
    expect((await entries(change.id)).map(({ action, actor_id }) => [action, actor_id])).toEqual([
      ['scheduled_change.created', admin.id],
      ['scheduled_change.executed', admin.id],
      ['app.updated', admin.id],
    ]);
    expect((await entries(change.id)).at(-1)!.metadata).toMatchObject({
      scheduled_change: change.id,
      prediction: { set_up_second_factor: 2 },
    });
  });

  it('can be one of a tenant', async () => {
    const own = await world.tenant();
    const change = await planned(own, { min_password_length: 14 }, {}, world.admin.token);
    await dueNow(change.id);
    await run();
    const [row] = await world.sql('SELECT min_password_length FROM tenants WHERE id = $1', [own.id]);
    expect(row).toEqual({ min_password_length: 14 });
  });

  it.each([
    [
      'an address',
      { config: { redirect_uris: ['https://a.example/'] } },
      ['body', 'change', 'config', 'redirect_uris'],
    ],
    ['keys', { config: { jwks_uri: 'https://a.example/keys' } }, ['body', 'change', 'config', 'jwks_uri']],
    [
      'consent, which needs a recent sign-in',
      { config: { third_party: true } },
      ['body', 'change', 'config', 'third_party'],
    ],
    ['a name', { name: 'Other' }, ['body', 'change', 'name']],
    ['scopes', { service_scopes: ['push:send'] }, ['body', 'change', 'service_scopes']],
    ['nothing', {}, ['body', 'change']],
    ['nothing within config', { config: {} }, ['body', 'change']],
  ])('cannot have %s', async (_, change, loc) => {
    const { status, body } = await ask(`/admin/apps/${app.id}`, change);
    expect([status, (body.detail as { loc: string[] }[]).map((each) => each.loc)]).toEqual([422, [loc]]);
  });

  it.each([
    ['in four minutes', ahead(4)],
    ['in the past', '2020-01-01T00:00:00Z'],
    ['in two years', ahead(2 * 366 * 24 * 60)],
    ['without a time zone', '2026-12-01T08:00:00'],
    ['that does not exist', '2026-13-45T08:00:00Z'],
  ])('cannot take effect at a time %s', async (_, time) => {
    const { status, body } = await ask(
      `/admin/apps/${app.id}`,
      { config: { require_2fa: true } },
      { effective_at: time },
    );
    expect([status, (body.detail as { loc: string[] }[])[0]!.loc]).toEqual([422, ['body', 'effective_at']]);
  });

  it('is refused where the update is: of another tenant, and beyond the rights of the caller', async () => {
    const foreign = await world.app(await world.tenant());
    expect((await ask(`/admin/apps/${foreign.id}`, { config: { require_2fa: true } })).status).toBe(403);
    expect((await ask(`/admin/tenants/${tenant.id}`, { is_active: false })).status).toBe(403);
    expect((await ask(`/admin/apps/${app.id}`, { config: { allowed_providers: ['pigeon'] } })).status).toBe(422);
  });

  it('can be planned by an app with its token, for what the token may change', async () => {
    const server = await world.app(tenant, { service_scopes: ['apps:read', 'apps:write'] });
    const service = await world.serviceToken(server);
    const change = await planned(app, { config: { token_lifetime_minutes: 7 } }, {}, service);
    expect([change.planned_by, change.planned_by_app]).toEqual([null, server.id]);
    expect((await ask(`/admin/apps/${app.id}`, { is_active: false }, {}, service)).status).toBe(403);
    expect((await dueAndRun(change.id)).state).toBe('executed');
    expect((await configOf(app))['token_lifetime_minutes']).toBe(7);
    const second = await planned(app, { config: { token_lifetime_minutes: 9 } }, {}, service);
    await world.asAdmin('PUT', `/admin/apps/${server.id}`, { service_scopes: ['apps:read'] });
    expect((await dueAndRun(second.id)).failure).toMatchObject({ reason: 'authority' });
    expect((await configOf(app))['token_lifetime_minutes']).toBe(7);
  });

  it.each<[string, (server: TestClient) => Promise<unknown>]>([
    ['secret was', ({ id }) => world.asAdmin('POST', `/admin/apps/${id}/regenerate-secret`)],
    [
      'keys were',
      ({ id }) =>
        world.sql(`UPDATE apps SET config = config || '{"jwks_uri": "https://a.example/keys"}' WHERE id = $1`, [id]),
    ],
  ])('is not made once the %s replaced of the app that planned it', async (_, replace) => {
    const shop = await world.app(tenant);
    const server = await world.app(tenant, { service_scopes: ['apps:read', 'apps:write'] });
    const service = await world.serviceToken(server);
    const before = await planned(shop, { config: { token_lifetime_minutes: 7 } }, {}, service);
    await world.asAdmin('PUT', `/admin/apps/${server.id}`, { name: 'Other name' });
    expect((await dueAndRun(before.id)).state).toBe('executed');
    const change = await planned(shop, { config: { token_lifetime_minutes: 9 } }, {}, service);
    await replace(server);
    // With a token from before that still works.
    const late = await planned(shop, { config: { require_2fa: true } }, {}, service);
    for (const { id } of [change, late])
      expect(await dueAndRun(id)).toMatchObject({ state: 'failed', failure: { reason: 'authority' } });
    expect(await configOf(shop)).toMatchObject({ token_lifetime_minutes: 7, require_2fa: false });
  });

  it('is not made with a token of an app that was signed up to a second after the secret was replaced', async () => {
    const shop = await world.app(tenant);
    const server = await world.app(tenant, { service_scopes: ['apps:read', 'apps:write'] });
    const service = await world.serviceToken(server);
    const soon = await planned(shop, { config: { token_lifetime_minutes: 7 } }, {}, service);
    const later = await planned(shop, { config: { token_lifetime_minutes: 9 } }, {}, service);
    const replacedBefore = ({ id }: { id: string }, time: string) =>
      world.sql(
        `UPDATE apps SET credentials_changed_at = c.token_issued_at - $2::interval FROM scheduled_changes c
         WHERE c.id = $1 AND apps.id = c.planned_by_app`,
        [id, time],
      );
    await replacedBefore(soon, '0.9 seconds');
    expect(await dueAndRun(soon.id)).toMatchObject({ state: 'failed', failure: { reason: 'authority' } });
    await replacedBefore(later, '1 second');
    expect((await dueAndRun(later.id)).state).toBe('executed');
  });

  it('is not made where the planner may no longer make it when the walk is over', async () => {
    const own = await world.tenant();
    const shop = await world.app(own);
    const planner = await world.user(shop, { roles: ['admin'] });
    const as = (await world.tokens(planner, shop.id)).access_token;
    const change = await planned(shop, { config: { require_2fa: true } }, {}, as);
    const release = await holding('SELECT 1 FROM apps WHERE id = $1 FOR UPDATE', [shop.id]);
    await dueNow(change.id);
    const made = mailing.service.nest.get(ScheduledExecution, { strict: false }).run(change.id);
    await waiters(1);
    // They may still sign in to the app.
    await world.sql("UPDATE enrollments SET roles = '{user}' WHERE user_id = $1", [planner.id]);
    await release();
    await made;
    const [row] = await world.sql('SELECT state, result FROM scheduled_changes WHERE id = $1', [change.id]);
    expect(row).toEqual({ state: 'failed', result: { reason: 'authority' } });
    expect((await configOf(shop))['require_2fa']).toBe(false);
  });

  it('is cancelled only by who could make it, also where its values are no longer valid', async () => {
    const shop = await world.app(tenant);
    const appAdmin = await world.user(shop, { roles: ['admin'] });
    const as = (await world.tokens(appAdmin, shop.id)).access_token;
    const change = await planned(shop, { is_active: false });
    await world.sql(`UPDATE scheduled_changes SET change = change || '{"registration_policy": "old"}' WHERE id = $1`, [
      change.id,
    ]);
    const cancel = (token: string) =>
      world.call('DELETE', `/admin/scheduled-changes/${change.id}`, undefined, { token });
    expect((await cancel(as)).status).toBe(403);
    expect((await cancel(token)).status).toBe(200);
  });

  it('of one tenant that takes long does not keep those of others waiting, nor does one that throws', async () => {
    const inNewTenant = async () => world.app(await world.tenant());
    const [first, second, third] = [await inNewTenant(), await inNewTenant(), await inNewTenant()];
    const root = world.admin.token;
    const changes = [
      await planned(first, { config: { require_2fa: true } }, {}, root),
      await planned(second, { config: { require_2fa: true } }, {}, root),
      await planned(third, { config: { require_2fa: true } }, {}, root),
    ];
    const [longest, throwing, quick] = changes.map(({ id }) => id) as [string, string, string];
    await dueNow(longest, '-3 minutes');
    await dueNow(throwing, '-2 minutes');
    await dueNow(quick, '-1 minute');
    const execution = mailing.service.nest.get(ScheduledExecution, { strict: false });
    const make = execution.run.bind(execution);
    execution.run = (id) => (id === throwing ? Promise.reject(new Error('For the test')) : make(id));
    const release = await holding('SELECT 1 FROM apps WHERE id = $1 FOR UPDATE', [first.id]);
    const stateOf = async (id: string) =>
      (await world.sql<{ state: string }>('SELECT state FROM scheduled_changes WHERE id = $1', [id]))[0]!.state;
    try {
      const round = run().catch((error: Error) => error.message);
      await eventually('the other tenant has its change', async () => (await stateOf(quick)) === 'executed');
      expect(await stateOf(longest)).toBe('planned');
      await release();
      expect([await round, await stateOf(longest)]).toEqual(['For the test', 'executed']);
    } finally {
      execution.run = make;
    }
    await world.call('DELETE', `/admin/scheduled-changes/${throwing}`, undefined, { token: root });
  });

  it('is compared with what was changed meanwhile before anything that takes long', async () => {
    const shop = await world.app(tenant);
    const change = await planned(shop, { config: { require_2fa: true } });
    await world.asAdmin('PUT', `/admin/apps/${shop.id}`, { config: { token_lifetime_minutes: 5 } });
    const other = await planned(shop, { config: { token_lifetime_minutes: 7 } });
    await world.asAdmin('PUT', `/admin/apps/${shop.id}`, { config: { token_lifetime_minutes: 6 } });
    const previews = mailing.service.nest.get(ChangePreviews, { strict: false });
    const walk = previews.previewAll.bind(previews);
    let walks = 0;
    previews.previewAll = (...asked) => {
      walks += 1;
      return walk(...asked);
    };
    try {
      expect((await dueAndRun(other.id)).failure).toMatchObject({ reason: 'changed_meanwhile' });
      expect(walks).toBe(0);
      expect((await dueAndRun(change.id)).state).toBe('executed');
      expect(walks).toBe(1);
    } finally {
      previews.previewAll = walk;
    }
  });

  it('is planned by apps without waiting for those of other tenants', async () => {
    const serviceOf = async (own: TestTenant) => {
      const server = await world.app(own, { service_scopes: ['apps:write'] });
      return { server, by: await world.serviceToken(server) };
    };
    const { server, by } = await serviceOf(tenant);
    const scopes = new Set(['apps:write']);
    const actor = { type: 'service', appId: server.id, tenantId: tenant.id, scopes } as const;
    const places = mailing.service.nest.get(PreviewLimiter, { strict: false });
    const leave = await places.acquire(
      { requestId: 'r', ip: null, userAgent: null, actor },
      { tenantId: tenant.id, appId: app.id },
    );
    const change = { config: { token_lifetime_minutes: 8 } };
    const own = await ask(`/admin/apps/${app.id}`, change, {}, by);
    expect([own.status, own.body]).toEqual([429, { detail: 'Your last preview is still in progress' }]);
    const other = await serviceOf(await world.tenant());
    expect((await ask(`/admin/apps/${other.server.id}`, change, {}, other.by)).status).toBe(201);
    leave();
  });

  it('is listed for those who administer the app or the tenant, and found by no one else', async () => {
    const shop = await world.app(tenant);
    const appAdmin = await world.user(shop, { roles: ['admin'] });
    const appToken = (await world.tokens(appAdmin, shop.id)).access_token;
    const mine = await planned(shop, { config: { require_2fa: true } });
    const others = await planned(app, { config: { require_pkce: true } });
    const ofTenant = await planned(tenant, { offer_passkeys: true });
    const listed = async (as: string, query = '') =>
      (await world.call<Scheduled[]>('GET', `/admin/scheduled-changes${query}`, undefined, { token: as })).body.map(
        ({ id }) => id,
      );
    expect(await listed(appToken)).toEqual([mine.id]);
    expect(await listed(token, `?state=planned&tenant_id=${tenant.id}`)).toEqual(
      expect.arrayContaining([mine.id, others.id, ofTenant.id]),
    );
    const stranger = await world.tenantAdmin(await world.tenant());
    const strange = (await world.tokens(stranger, (await ownConsole(stranger))!)).access_token;
    expect(await listed(strange)).toEqual([]);
    for (const method of ['GET', 'DELETE'])
      for (const [as, id] of [
        [strange, mine.id],
        [appToken, others.id],
        [appToken, ofTenant.id],
        [token, randomUUID()],
      ] as const) {
        const answer = await world.call(
          'DELETE' === method ? 'DELETE' : 'GET',
          `/admin/scheduled-changes/${id}`,
          undefined,
          { token: as },
        );
        expect([answer.status, answer.body]).toEqual([404, { detail: 'Scheduled change not found' }]);
      }
    const page = await world.call<Scheduled[]>('GET', '/admin/scheduled-changes?limit=1', undefined, { token });
    expect([page.body.length, Number(page.headers.get('x-total-count')) > 2]).toEqual([1, true]);
    expect(page.headers.get('link')).toContain('page=2');
  });
  const ownConsole = async ({ id }: TestUser) =>
    (await world.sql<{ app_id: string }>('SELECT app_id FROM enrollments WHERE user_id = $1', [id]))[0]?.app_id;

  it('can be cancelled until it is made, by those who could make it', async () => {
    const shop = await world.app(tenant);
    const appAdmin = await world.user(shop, { roles: ['admin'] });
    const appToken = (await world.tokens(appAdmin, shop.id)).access_token;
    const change = await planned(shop, { is_active: false });
    const cancel = (id: string, as: string) =>
      world.call('DELETE', `/admin/scheduled-changes/${id}`, undefined, { token: as });
    // An admin of the app cannot switch it off, nor decide that it stays on.
    expect((await cancel(change.id, appToken)).status).toBe(403);
    expect((await cancel(change.id, token)).status).toBe(200);
    expect((await dueAndRun(change.id)).state).toBe('cancelled');
    const again = await cancel(change.id, token);
    expect([again.status, again.body]).toEqual([409, { detail: 'The change is no longer scheduled' }]);
    expect(await actionsOf(change.id)).toEqual(['scheduled_change.created', 'scheduled_change.cancelled']);
    const [row] = await world.sql('SELECT is_active FROM apps WHERE id = $1', [shop.id]);
    expect(row).toEqual({ is_active: true });
  });

  it('needs a second confirmation of who would lock themselves out', async () => {
    const shop = await world.app(tenant);
    await enroll(admin, shop);
    const off = { is_active: false };
    const refused = await ask(`/admin/apps/${shop.id}`, off);
    expect([refused.status, refused.body.detail]).toEqual([
      409,
      expect.stringContaining('You would lock yourself out'),
    ]);
    const change = await planned(shop, off, { lock_me_out: true });
    expect((await dueAndRun(change.id)).state).toBe('executed');
  });
  const enroll = ({ id }: TestUser, { id: appId }: TestClient, roles = '{user}') =>
    world.sql(
      "INSERT INTO enrollments (user_id, app_id, roles, status) VALUES ($1, $2, $3, 'active') ON CONFLICT DO NOTHING",
      [id, appId, roles],
    );

  it('is not made where it would by then lock out who planned it', async () => {
    const shop = await world.app(tenant);
    const planner = await world.user(shop, { roles: ['admin'] });
    await havePasskey(planner);
    const as = (await world.tokens(planner, shop.id)).access_token;
    const change = await planned(shop, { config: { allowed_providers: ['passkey'] } }, {}, as);
    await world.sql('DELETE FROM passkeys WHERE user_id = $1', [planner.id]);
    expect(await dueAndRun(change.id)).toMatchObject({ state: 'failed', failure: { reason: 'lock_out' } });
    expect((await configOf(shop))['allowed_providers']).not.toEqual(['passkey']);
    expect(await actionsOf(change.id)).toEqual(['scheduled_change.created', 'scheduled_change.failed']);
  });

  it('is not stopped by who makes its planner a member of the app', async () => {
    const shop = await world.app(tenant);
    const change = await planned(shop, { is_active: false });
    await enroll(admin, shop);
    expect((await dueAndRun(change.id)).state).toBe('executed');
    expect((await world.sql('SELECT is_active FROM apps WHERE id = $1', [shop.id]))[0]).toEqual({ is_active: false });
  });

  it('needs a second confirmation of who would lock all administrators out, and is not made where it would by then', async () => {
    const own = await world.tenant();
    const owner = await world.tenantAdmin(own);
    // They have no passkey, so the platform's Console does not let them in as it is.
    await world.tenantAdmin(own);
    const model = randomUUID();
    const change = { passkey_aaguids: [model] };
    const root = world.admin.token;
    const before = await planned(own, change, {}, root);
    // Now the platform's Console takes passkeys only. The owner has one, of another model.
    await havePasskey(owner);
    await havePasskey(world.admin);
    await world.sql(`UPDATE scheduled_changes SET amr = '{hwk}' WHERE id = $1`, [before.id]);
    const providers = await ofPlatformConsole(['passkey']);
    try {
      const refused = await ask(`/admin/tenants/${own.id}`, change, {}, root);
      expect([refused.status, refused.body.detail]).toEqual([
        409,
        expect.stringContaining('You would lock yourself out'),
      ]);
      const previewed = await world.call('POST', `/admin/tenants/${own.id}?preview=true`, change, { token: root });
      expect(previewed.body).toMatchObject({ locks_you_out: false, locks_admins_out: true });
      await dueNow(before.id);
      await run();
      const [row] = await world.sql('SELECT state, result FROM scheduled_changes WHERE id = $1', [before.id]);
      expect(row).toEqual({ state: 'failed', result: { reason: 'lock_out_of_all' } });
      const confirmed = await planned(own, change, { lock_me_out: true }, root);
      await world.call('DELETE', `/admin/scheduled-changes/${confirmed.id}`, undefined, { token: root });
      // Where no one can enter before, the change locks no one out.
      await world.sql('DELETE FROM passkeys WHERE user_id = $1', [owner.id]);
      const harmless = await world.call('POST', `/admin/tenants/${own.id}?preview=true`, change, { token: root });
      expect(harmless.body).toMatchObject({ locks_admins_out: false });
    } finally {
      await ofPlatformConsole(providers);
      await world.sql('DELETE FROM passkeys WHERE user_id = ANY ($1)', [[owner.id, world.admin.id]]);
    }
  });
  /** @returns the ways to sign in that it had */
  const ofPlatformConsole = async (providers: readonly string[]): Promise<string[]> => {
    const found = await world.sql<{ id: string; had: string[] }>(
      `SELECT a.id, a.config -> 'allowed_providers' AS had FROM apps a JOIN tenants t ON t.id = a.tenant_id WHERE a.is_console_app AND t.is_platform`,
    );
    await world.sql(
      `UPDATE apps SET config = config || jsonb_build_object('allowed_providers', $2::jsonb) WHERE id = $1`,
      [found[0]!.id, JSON.stringify(providers)],
    );
    await mailing.service.nest.get(AppDirectory, { strict: false }).catchUp();
    return found[0]!.had;
  };
  const havePasskey = ({ id }: { readonly id: string }) =>
    world.sql(
      `INSERT INTO passkeys (id, user_id, rp_id, credential_id, public_key, sign_count, aaguid, transports, is_synced, is_backed_up)
       VALUES (gen_random_uuid(), $1, 'localhost', uuid_send(gen_random_uuid()), '\\x00', 0, gen_random_uuid(), '{}', false, false)`,
      [id],
    );

  it.each<[string, (who: TestUser) => Promise<unknown>]>([
    ['is no longer an administrator', ({ id }) => world.sql('DELETE FROM enrollments WHERE user_id = $1', [id])],
    [
      'is suspended as one',
      ({ id }) => world.sql("UPDATE enrollments SET status = 'suspended' WHERE user_id = $1", [id]),
    ],
    ['has no active account', ({ id }) => world.sql('UPDATE users SET is_active = false WHERE id = $1', [id])],
    [
      'was signed out everywhere',
      ({ id }) => world.sql('UPDATE users SET tokens_valid_from = now() WHERE id = $1', [id]),
    ],
    ['is deleted', ({ id }) => world.sql('DELETE FROM users WHERE id = $1', [id])],
    [
      'has signed out everywhere but at another browser',
      async (user) => sendForm(await visitAccount(world, user), '/account/sessions/end-others'),
    ],
    ['has signed out the browser that they planned it with from another one', endedAt('/account/sessions/')],
    [
      'has signed out the app that they planned it with from a browser',
      async (user) => {
        // Apps whose browser is still signed in are signed out with it.
        await world.sql('UPDATE sso_sessions SET ended_at = now() WHERE user_id = $1', [user.id]);
        await endedAt('/account/apps/')(user);
      },
    ],
    [
      'was suspended as an administrator, though they are one again',
      async ({ id }) => {
        const at = `/admin/users/${id}`;
        await world.asAdmin('POST', `${at}/suspend`, { app_id: tenant.consoleAppId });
        await world.asAdmin('PUT', `${at}/apps/${tenant.consoleAppId}/reactivate`);
      },
    ],
  ])('is not made once who planned it %s', async (_, lose) => {
    const shop = await world.app(tenant);
    const other = await otherAdmin();
    const change = await planned(shop, { config: { require_2fa: true } }, {}, other.token);
    await lose(other.user);
    expect(await dueAndRun(change.id)).toMatchObject({ state: 'failed', failure: { reason: 'authority' } });
    expect((await configOf(shop))['require_2fa']).toBe(false);
  });

  /** At the account page, by its first button for this. */
  function endedAt(path: string) {
    return async (user: TestUser) => {
      const browser = await visitAccount(world, user);
      const found = new RegExp(`action="(${path}[^"/]+/end)"`).exec((await browser.get('/account')).body);
      expect((await sendForm(browser, found![1]!)).status).toBe(303);
    };
  }

  it('is made after the planner has signed out at the end of the day', async () => {
    const shop = await world.app(tenant);
    const user = await world.tenantAdmin(tenant);
    const tokens = await world.tokens(user, tenant.consoleAppId);
    const change = await planned(shop, { config: { require_2fa: true } }, {}, tokens.access_token);
    await world.call('POST', '/token/revoke', { refresh_token: tokens.refresh_token });
    await world.sql('UPDATE sso_sessions SET ended_at = now() WHERE user_id = $1', [user.id]);
    expect((await dueAndRun(change.id)).state).toBe('executed');
  });

  /** A user who administers an app and its tenant, with a change planned at each. */
  const plannedAtBoth = async () => {
    const shop = await world.app(tenant);
    const user = await world.user(shop, { roles: ['admin'] });
    await enroll(user, { id: tenant.consoleAppId } as TestClient);
    const atShop = await world.tokens(user, shop.id);
    const atConsole = await world.tokens(user, tenant.consoleAppId);
    const here = await planned(shop, { config: { require_2fa: true } }, {}, atShop.access_token);
    const there = await planned(shop, { config: { token_lifetime_minutes: 5 } }, {}, atConsole.access_token);
    const versionOf = async () =>
      (await world.sql<{ v: number }>('SELECT credentials_version v FROM users WHERE id = $1', [user.id]))[0]!.v;
    return { shop, user, here, there, refresh: atShop.refresh_token, version: await versionOf(), versionOf };
  };

  it('ends with the sign-in that an admin of the app ends, and what was planned elsewhere does not', async () => {
    const { shop, user, here, there, version, versionOf } = await plannedAtBoth();
    const [family] = await world.sql<{ id: string }>(
      'SELECT id FROM refresh_families WHERE user_id = $1 AND app_id = $2',
      [user.id, shop.id],
    );
    const console = await visitConsole(world, await world.user(shop, { roles: ['admin'] }));
    const path = `/console/users/${user.id}/sign-ins/${family!.id}/end`;
    expect((await sendConsoleForm(console, `/console/apps/${shop.id}`, path)).status).toBe(303);
    expect(await dueAndRun(here.id)).toMatchObject({ state: 'failed', failure: { reason: 'authority' } });
    expect([(await dueAndRun(there.id)).state, await versionOf()]).toEqual(['executed', version]);
  });

  it.each(['refresh token', 'code'])('ends where a %s of the planner is used twice at the app', async (what) => {
    const { shop, user, here, there, refresh } = await plannedAtBoth();
    if (what === 'code') {
      const browser = new HostedBrowser(world.baseUrl);
      const { delivered } = await browser.signIn(loginPath(shop), user.email, user.password);
      const exchange = { code: delivered.get('code'), app_id: shop.id, redirect_uri: shop.redirectUri };
      expect((await world.call('POST', '/token/exchange', exchange)).status).toBe(200);
      expect((await world.call('POST', '/token/exchange', exchange)).status).toBe(400);
    } else {
      const spent = { refresh_token: refresh, app_id: shop.id };
      expect((await world.call('POST', '/token/refresh', spent)).status).toBe(200);
      expect((await world.call('POST', '/token/refresh', spent)).status).toBe(401);
    }
    expect(await dueAndRun(here.id)).toMatchObject({ state: 'failed', failure: { reason: 'authority' } });
    expect((await dueAndRun(there.id)).state).toBe('executed');
  });

  it.each(['refresh token', 'code'])('ends where a thief has signed out before the %s comes again', async (what) => {
    const { shop, user, here, there, refresh } = await plannedAtBoth();
    const exchange = { code: '', app_id: shop.id, redirect_uri: shop.redirectUri };
    const signIn = async (): Promise<Tokens> => {
      if (what !== 'code') {
        const renew = { refresh_token: refresh, app_id: shop.id };
        return (await world.call<Tokens>('POST', '/token/refresh', renew)).body;
      }
      const browser = new HostedBrowser(world.baseUrl);
      const { delivered } = await browser.signIn(loginPath(shop), user.email, user.password);
      exchange.code = delivered.get('code')!;
      return (await world.call<Tokens>('POST', '/token/exchange', exchange)).body;
    };
    const comesAgain = async () =>
      what === 'code'
        ? (await world.call('POST', '/token/exchange', exchange)).status
        : (await world.call('POST', '/token/refresh', { refresh_token: refresh, app_id: shop.id })).status;
    const stolen = await signIn();
    const change = { config: { require_verified_email: true } };
    const theirs = what === 'code' ? await planned(shop, change, {}, stolen.access_token) : here;
    for (const token of [stolen.refresh_token, refresh])
      await world.call('POST', '/token/revoke', { refresh_token: token });
    expect(await comesAgain()).toBe(what === 'code' ? 400 : 401);
    // What is planned after it with another sign-in is not ended by the same token.
    const after = await planned(shop, change, {}, (await world.tokens(user, shop.id)).access_token);
    if (what === 'code') await comesAgain();
    expect(await dueAndRun(theirs.id)).toMatchObject({ state: 'failed', failure: { reason: 'authority' } });
    expect((await dueAndRun(there.id)).state).toBe('executed');
    if (what === 'code') expect((await dueAndRun(after.id)).state).toBe('executed');
  });

  it('ends with a stolen sign-in after a deletion of the account, and not against it', async () => {
    const shop = await world.app(tenant);
    const user = await world.user(shop);
    const { refresh_token } = await world.tokens(user, shop.id);
    const spent = { refresh_token, app_id: shop.id };
    expect((await world.call('POST', '/token/refresh', spent)).status).toBe(200);
    const release = await holding('SELECT 1 FROM users WHERE id = $1 FOR UPDATE', [user.id]);
    const again = world.call('POST', '/token/refresh', spent);
    await waiters(1);
    expect(
      await world.sql('SELECT id FROM refresh_families WHERE user_id = $1 FOR UPDATE SKIP LOCKED', [user.id]),
    ).toHaveLength(1);
    await release();
    expect((await again).status).toBe(401);
  });

  it('is not made once the app whose token planned it asks for consent', async () => {
    const shop = await world.app(tenant);
    const appAdmin = await world.user(shop, { roles: ['admin'] });
    const as = (await world.tokens(appAdmin, shop.id)).access_token;
    const change = await planned(shop, { config: { require_2fa: true } }, {}, as);
    await world.sql(`UPDATE apps SET config = config || '{"third_party": true}' WHERE id = $1`, [shop.id]);
    expect((await dueAndRun(change.id)).failure).toMatchObject({ reason: 'authority' });
  });

  it('is not planned by who is signed out while it is being planned', async () => {
    const shop = await world.app(tenant);
    const other = await otherAdmin();
    const release = await holding('UPDATE users SET credentials_version = credentials_version + 1 WHERE id = $1', [
      other.user.id,
    ]);
    const answer = ask(`/admin/apps/${shop.id}`, { config: { require_2fa: true } }, {}, other.token);
    await waiters(1);
    await release();
    expect((await answer).status).toBe(401);
    expect(await world.sql('SELECT 1 FROM scheduled_changes WHERE app_id = $1', [shop.id])).toEqual([]);
  });

  it('is not made where an operator has changed the same settings since, and is made where it is others', async () => {
    const shop = await world.app(tenant);
    const change = await planned(shop, { config: { allowed_providers: ['password', 'magic_link'] } });
    const other = await planned(shop, { config: { token_lifetime_minutes: 5 } });
    await world.asAdmin('PUT', `/admin/apps/${shop.id}`, { config: { allowed_providers: ['password', 'passkey'] } });
    const failed = await dueAndRun(change.id);
    expect([failed.state, failed.failure]).toEqual([
      'failed',
      {
        reason: 'changed_meanwhile',
        detail: null,
        changed: [{ setting: 'config.allowed_providers', then: expect.any(Array), now: ['password', 'passkey'] }],
      },
    ]);
    expect((await configOf(shop))['allowed_providers']).toEqual(['password', 'passkey']);
    expect((await dueAndRun(other.id)).state).toBe('executed');
  });

  it('is not made where it needs a recent sign-in only by then', async () => {
    const shop = await world.app(tenant, { registration_policy: 'approval' });
    const open = await planned(shop, { registration_policy: 'open' });
    await world.asAdmin('PUT', `/admin/apps/${shop.id}`, { config: { auto_assign_roles: ['user', 'admin'] } });
    const failed = await dueAndRun(open.id);
    expect([failed.state, failed.failure]).toEqual(['failed', { reason: 'unconfirmed', detail: null, changed: [] }]);
    const policyOf = async ({ id }: TestClient) =>
      (await world.sql('SELECT registration_policy AS policy FROM apps WHERE id = $1', [id]))[0];
    expect([await policyOf(shop), await actionsOf(open.id)]).toEqual([
      { policy: 'approval' },
      ['scheduled_change.created', 'scheduled_change.failed'],
    ]);
    const again = await planned(shop, { registration_policy: 'open' });
    expect([(await dueAndRun(again.id)).state, await policyOf(shop)]).toEqual(['executed', { policy: 'open' }]);
  });

  it('is not made where it needs a recent sign-in for another reason than when it was planned', async () => {
    const shop = await world.app(tenant, {
      registration_policy: 'approval',
      config: { allowed_providers: ['password', 'passkey'] },
    });
    const change = { registration_policy: 'open', config: { allowed_providers: ['password', 'magic_link'] } };
    const both = await planned(shop, change);
    await world.asAdmin('PUT', `/admin/apps/${shop.id}`, { config: { auto_assign_roles: ['user', 'admin'] } });
    const failed = await dueAndRun(both.id);
    expect([failed.state, failed.failure]).toEqual(['failed', { reason: 'unconfirmed', detail: null, changed: [] }]);
    const again = await planned(shop, change);
    expect((await dueAndRun(again.id)).state).toBe('executed');
    expect(
      await world.sql('SELECT confirmed FROM scheduled_changes WHERE app_id = $1 ORDER BY created_at', [shop.id]),
    ).toEqual([{ confirmed: ['sign_in_methods'] }, { confirmed: ['sign_in_methods', 'open_with_admin'] }]);
  });

  it('is made without another sign-in where it needed a recent one when it was planned', async () => {
    const own = await world.tenant();
    const model = { passkey_aaguids: [randomUUID()] };
    const ofTenant = await planned(own, model, {}, world.admin.token);
    await dueNow(ofTenant.id);
    await run();
    const [row] = await world.sql('SELECT state, confirmed FROM scheduled_changes WHERE id = $1', [ofTenant.id]);
    expect(row).toEqual({ state: 'executed', confirmed: ['passkey_models'] });
  });

  it('is not made once it could not be made for a day', async () => {
    const change = await planned(app, { config: { require_par: true } });
    await dueNow(change.id, '-25 hours');
    await run();
    expect(await shown(change.id)).toMatchObject({ state: 'failed', failure: { reason: 'late' } });
  });

  it('says what the update refuses by then', async () => {
    const shop = await world.app(tenant, {});
    await world.sql('UPDATE apps SET is_active = false WHERE id = $1', [shop.id]);
    const change = await planned(shop, { is_active: true });
    await world.sql('UPDATE apps SET archived_at = now() WHERE id = $1', [shop.id]);
    expect((await dueAndRun(change.id)).failure).toEqual({
      reason: 'refused',
      detail: 'App is archived. Restore it first',
      changed: [],
    });
  });

  it('is made once by two who find it due, and cancelled or made, but never both', async () => {
    const shop = await world.app(tenant);
    const both = await planned(shop, { config: { require_2fa: true } });
    const release = await holding('SELECT 1 FROM apps WHERE id = $1 FOR UPDATE', [shop.id]);
    await dueNow(both.id);
    const execution = mailing.service.nest.get(ScheduledExecution, { strict: false });
    const runs = [execution.run(both.id), execution.run(both.id)];
    await waiters(2);
    await release();
    await Promise.all(runs);
    expect(await actionsOf(both.id)).toEqual(['scheduled_change.created', 'scheduled_change.executed', 'app.updated']);

    const change = await planned(shop, { config: { require_2fa: false } });
    const row = await holding('SELECT 1 FROM scheduled_changes WHERE id = $1 FOR UPDATE', [change.id]);
    const cancelled = world.call('DELETE', `/admin/scheduled-changes/${change.id}`, undefined, { token });
    await waiters(1);
    await row();
    expect((await cancelled).status).toBe(200);
    await dueNow(change.id);
    await execution.run(change.id);
    expect([(await shown(change.id)).state, (await configOf(shop))['require_2fa']]).toEqual(['cancelled', true]);
  });

  it('that is cancelled while it is being made is not made', async () => {
    const shop = await world.app(tenant);
    const change = await planned(shop, { config: { require_2fa: true } });
    const release = await holding('SELECT 1 FROM apps WHERE id = $1 FOR UPDATE', [shop.id]);
    await dueNow(change.id);
    const execution = mailing.service.nest.get(ScheduledExecution, { strict: false });
    const made = execution.run(change.id);
    await waiters(1);
    expect((await world.call('DELETE', `/admin/scheduled-changes/${change.id}`, undefined, { token })).status).toBe(
      200,
    );
    await release();
    await made;
    expect([(await shown(change.id)).state, (await configOf(shop))['require_2fa']]).toEqual(['cancelled', false]);
    expect(await actionsOf(change.id)).toEqual(['scheduled_change.created', 'scheduled_change.cancelled']);
  });

  it('is one of 20 at most of an app, and of 200 of all apps of a tenant', async () => {
    const own = await world.tenant();
    const [shop, other, third] = [await world.app(own), await world.app(own), await world.app(own)];
    const root = world.admin.token;
    const add = (id: string, app: TestClient, count: number) =>
      world.sql(
        `INSERT INTO scheduled_changes (id, tenant_id, app_id, change, effective_at, credential, planned_by, locks_planner_out,
           locks_admins_out, settings_then)
         SELECT gen_random_uuid(), tenant_id, $2, change, effective_at, credential, planned_by, false, false, settings_then
         FROM scheduled_changes, generate_series(1, $3) WHERE id = $1`,
        [id, app.id, count],
      );
    const full = [409, 'Too many changes are scheduled. Cancel one first'];
    const first = await planned(shop, { config: { require_2fa: true } }, {}, root);
    await add(first.id, shop, 19);
    const refused = await ask(`/admin/apps/${shop.id}`, { config: { require_pkce: true } }, {}, root);
    expect([refused.status, refused.body.detail]).toEqual(full);
    // Its admins use up nothing that others need.
    const ofOther = await planned(other, { config: { require_2fa: true } }, {}, root);
    await planned(own, { require_2fa: true }, {}, root);
    await world.call('DELETE', `/admin/scheduled-changes/${first.id}`, undefined, { token: root });
    await planned(shop, { config: { require_pkce: true } }, {}, root);
    await add(ofOther.id, other, 179);
    const last = await ask(`/admin/apps/${third.id}`, { config: { require_2fa: true } }, {}, root);
    expect([last.status, last.body.detail]).toEqual(full);
    // Nor do all apps together use up what the tenant's own settings need.
    await planned(own, { min_password_length: 14 }, {}, root);
    await world.call('DELETE', `/admin/scheduled-changes/${ofOther.id}`, undefined, { token: root });
    await planned(third, { config: { require_2fa: true } }, {}, root);
  });

  it('counts against its app and its tenant, whichever operator plans it', async () => {
    const limits = mailing.service.nest.get(RateLimitsService, { strict: false });
    const counted: string[][] = [];
    limits.consume = async (label, key) => void (label.startsWith('scheduled_change') && counted.push([label, key]));
    try {
      const shop = await world.app(tenant);
      const server = await world.app(tenant, { service_scopes: ['apps:write'] });
      await planned(shop, { config: { require_2fa: true } });
      await planned(shop, { config: { require_pkce: true } }, {}, await world.serviceToken(server));
      expect(counted).toEqual([
        ['scheduled_change', `user:${admin.id}`],
        ['scheduled_change_tenant', `${tenant.id} ${shop.id}`],
        ['scheduled_change', `app:${server.id}`],
        ['scheduled_change_tenant', `${tenant.id} ${shop.id}`],
      ]);
    } finally {
      Reflect.deleteProperty(limits, 'consume');
    }
  });

  describe('mails', () => {
    const SOON = /will change/;
    const tellAtOnce = () => mailing.service.nest.get(ScheduledNoticesJob, { strict: false }).run();
    /** They were planned some minutes ago, by administrators who have been there for longer. */
    const wait = async () => {
      await world.sql(`UPDATE users SET tokens_valid_from = '-infinity'
        WHERE id IN (SELECT planned_by FROM scheduled_changes WHERE state = 'planned')`);
      await world.sql(
        "UPDATE scheduled_changes SET created_at = created_at - interval '10 minutes' WHERE announced_at IS NULL",
      );
    };
    const tell = () => wait().then(tellAtOnce);
    const tellTwice = () => wait().then(() => Promise.all([tellAtOnce(), tellAtOnce()]));
    const cancelled = ({ id }: Scheduled) =>
      world.call('DELETE', `/admin/scheduled-changes/${id}`, undefined, { token });
    const verify = ({ id }: TestUser) => world.sql('UPDATE users SET email_verified = true WHERE id = $1', [id]);
    const toldOf = async (id: string) =>
      (
        await world.sql<{ told: string }>(
          `SELECT u.email || ' ' || moment AS told FROM scheduled_change_notices n JOIN users u ON u.id = n.user_id
           WHERE change_id = $1 ORDER BY n.created_at, 1`,
          [id],
        )
      ).map(({ told }) => told);
    const mailsTo = async ({ id }: TestUser) =>
      (
        await world.sql<{ template: string }>(
          `SELECT template FROM mail_log WHERE user_id = $1 AND template LIKE 'scheduled-%' ORDER BY created_at`,
          [id],
        )
      ).map(({ template }) => template);

    beforeAll(() => verify(admin));

    it('those who have to do something, at once, the day before, and if it does not happen', async () => {
      const shop = await world.app(tenant, { name: 'Corner shop' });
      const [ada, ready, unverified, suspended] = [
        await world.user(shop, { email_verified: true }),
        await world.user(shop, { email_verified: true }),
        await world.user(shop, { email_verified: false }),
        await world.user(shop, { email_verified: true }),
      ];
      await world.sql('UPDATE users SET totp_enabled_at = now() WHERE id = $1', [ready.id]);
      await world.sql("UPDATE enrollments SET status = 'suspended' WHERE user_id = $1", [suspended.id]);
      const change = await planned(shop, { config: { require_2fa: true } });
      await tellTwice();
      await tell();
      const first = await mailing.smtp.next(ada.email, SOON);
      expect(first.subject).toBe('Your sign-in to Corner shop will change');
      expect(first.text).toContain('You will need a second factor');
      expect(first.text).toContain(new Date(change.effective_at).toUTCString());
      expect(await toldOf(change.id)).toEqual([`${ada.email} announced`]);
      // A day before: computed again, so that a new member is told, too.
      const late = await world.user(shop, { email_verified: true });
      await dueNow(change.id, '23 hours');
      await tell();
      expect(await toldOf(change.id)).toEqual([`${ada.email} announced`]);
      await world.sql("UPDATE scheduled_changes SET created_at = now() - interval '2 days' WHERE id = $1", [change.id]);
      await world.sql(`UPDATE users SET tokens_valid_from = '-infinity' WHERE id = $1`, [admin.id]);
      await tellTwice();
      await mailing.smtp.next(ada.email, /changes tomorrow/);
      await mailing.smtp.next(late.email, /changes tomorrow/);
      await world.call('DELETE', `/admin/scheduled-changes/${change.id}`, undefined, { token });
      await tellTwice();
      await tell();
      await mailing.smtp.next(late.email, /stays as it is/);
      expect([await mailsTo(ada), await mailsTo(late)]).toEqual([
        ['scheduled-change', 'scheduled-change-tomorrow', 'scheduled-change-retracted'],
        ['scheduled-change-tomorrow', 'scheduled-change-retracted'],
      ]);
      for (const other of [ready, unverified, suspended]) expect(await mailsTo(other)).toEqual([]);
    });

    it('go on after a crash in the middle, and each user has one', async () => {
      const shop = await world.app(tenant);
      const [one, two] = [
        await world.user(shop, { email_verified: true }),
        await world.user(shop, { email_verified: true }),
      ];
      const change = await planned(shop, { config: { require_2fa: true } });
      await tell();
      await world.sql('UPDATE scheduled_changes SET announced_at = NULL WHERE id = $1', [change.id]);
      await world.sql("DELETE FROM scheduled_change_notices WHERE user_id = $1 AND moment = 'announced'", [two.id]);
      await tell();
      expect([await mailsTo(one), await mailsTo(two)]).toEqual([
        ['scheduled-change'],
        ['scheduled-change', 'scheduled-change'],
      ]);
    });

    it('very many over several rounds, each once, also where another process goes on', async () => {
      const shop = await world.app(tenant);
      const prefix = `many-${randomUUID()}-`;
      await world.sql(
        `WITH made AS (INSERT INTO users (id, email, email_canonical, display_name, email_verified, password_hash)
           SELECT gen_random_uuid(), each, each, each, true, 'x'
           FROM (SELECT $2 || n || '@example.com' AS each FROM generate_series(1, 501) n) named RETURNING id)
         INSERT INTO enrollments (user_id, app_id, status, roles) SELECT id, $1, 'active', '{user}' FROM made`,
        [shop.id, prefix],
      );
      const change = await planned(shop, { config: { require_2fa: true } });
      await world.sql('UPDATE scheduled_changes SET prediction_then = NULL WHERE id = $1', [change.id]);
      const notices = mailing.service.nest.get(ScheduledNotices, { strict: false });
      const row = async () =>
        (await mailing.service.nest.get(ScheduledChangesRepository, { strict: false }).find(change.id))!;
      const numbersOf = async (template: string) => {
        const [found] = await world.sql<{ mails: number; users: number }>(
          `SELECT count(*)::int AS mails, count(DISTINCT user_id)::int AS users FROM mail_log JOIN users u ON u.id = user_id
           WHERE u.email LIKE $1 || '%' AND template = $2`,
          [prefix, template],
        );
        return [found!.mails, found!.users];
      };
      const round = (): RoundState<NoticeProgress> => ({ progress: null, isOver: () => true });
      try {
        const turn = round();
        expect(await notices.run(await row(), 'announced', turn)).toBe(false);
        expect([await numbersOf('scheduled-change'), (await row()).announcedAt]).toEqual([[500, 500], null]);
        // Another process knows no progress.
        expect(await notices.run(await row(), 'announced', round())).toBe(false);
        expect(await numbersOf('scheduled-change')).toEqual([500, 500]);
        while (!(await notices.run(await row(), 'announced', turn)));
        expect(await numbersOf('scheduled-change')).toEqual([501, 501]);
        expect([(await row()).announcedAt, (await row()).predictionThen]).toEqual([
          expect.any(Date),
          { set_up_second_factor: 501 },
        ]);

        const told: number[] = [];
        await cancelled(change);
        const back = round();
        while (!(await notices.run(await row(), 'retracted', back)))
          told.push((await numbersOf('scheduled-change-retracted'))[0]!);
        expect(told).toEqual([100, 200, 300, 400, 500]);
        expect([await numbersOf('scheduled-change-retracted'), (await row()).retractedAt]).toEqual([
          [501, 501],
          expect.any(Date),
        ]);
      } finally {
        await world.sql("DELETE FROM outbox_messages WHERE job = 'mail.send' AND locked_until IS NULL");
      }
    });

    it('that it does not happen, behind those of the batch before, and not after those of another tenant', async () => {
      const shop = await world.app(tenant);
      const members: TestUser[] = [];
      for (let n = 0; n < 3; n++) members.push(await world.user(shop, { email_verified: true }));
      const change = await planned(shop, { config: { require_2fa: true } });
      await tell();
      const repository = mailing.service.nest.get(ScheduledNoticesRepository, { strict: false });
      const { id: first } = members.toSorted((a, b) => (a.id < b.id ? -1 : 1))[0]!;
      await mailing.service.nest.get(Transactions, { strict: false }).run(async (tx) => {
        await repository.takeTurns(tx, tenant.id);
        await asAnotherRequest(() =>
          mailing.service.nest
            .get(Transactions, { strict: false })
            .run((other) => repository.takeTurns(other, randomUUID())),
        );
        expect((await repository.listTold(tx, change.id, first, 100)).toSorted()).toEqual(
          members.flatMap(({ id }) => (id === first ? [] : [id])).toSorted(),
        );
      });
    });

    it('no one of a change that was cancelled before, or that its planner may no longer make', async () => {
      const shop = await world.app(tenant);
      const member = await world.user(shop, { email_verified: true });
      const change = await planned(shop, { config: { require_2fa: true } });
      await world.call('DELETE', `/admin/scheduled-changes/${change.id}`, undefined, { token });
      const other = await otherAdmin();
      const lost = await planned(shop, { config: { require_2fa: true } }, {}, other.token);
      await world.sql('DELETE FROM enrollments WHERE user_id = $1', [other.user.id]);
      await tell();
      expect([await toldOf(change.id), await toldOf(lost.id), await mailsTo(member)]).toEqual([[], [], []]);
    });

    it('no one of a change that was just planned', async () => {
      const shop = await world.app(tenant);
      const member = await world.user(shop, { email_verified: true });
      const change = await planned(shop, { config: { require_2fa: true } });
      await tellAtOnce();
      expect(await mailsTo(member)).toEqual([]);
      await cancelled(change);
      await tell();
      expect(await mailsTo(member)).toEqual([]);
    });

    it('each user of all changes together three times a day, and as often that one is cancelled', async () => {
      const shops = await Promise.all([1, 2, 3, 4, 5].map(() => world.app(tenant)));
      const member = await world.user(shops[0]!, { email_verified: true });
      for (const shop of shops) await enroll(member, shop);
      const changes = [];
      for (const shop of shops) changes.push(await planned(shop, { config: { require_2fa: true } }));
      await tellTwice();
      expect(await mailsTo(member)).toEqual(Array(3).fill('scheduled-change'));
      for (const change of changes) await cancelled(change);
      await tellTwice();
      const six = [...Array(3).fill('scheduled-change'), ...Array(3).fill('scheduled-change-retracted')];
      expect(await mailsTo(member)).toEqual(six);
      // Those of yesterday no longer count.
      await world.sql("UPDATE scheduled_change_notices SET created_at = created_at - interval '25 hours'");
      const next = await planned(shops[0]!, { config: { require_2fa: true } });
      await tell();
      expect(await mailsTo(member)).toEqual([...six, 'scheduled-change']);
      // Now four would be taken back.
      await world.sql('UPDATE scheduled_changes SET retracted_at = NULL WHERE app_id = ANY ($1::uuid[])', [
        shops.map(({ id }) => id),
      ]);
      await world.sql("DELETE FROM scheduled_change_notices WHERE user_id = $1 AND moment = 'retracted'", [member.id]);
      await cancelled(next);
      await tell();
      expect(await mailsTo(member)).toEqual([...six, 'scheduled-change', ...six.slice(3)]);
    });

    it('a user of one tenant, whatever another tenant has told them today', async () => {
      const shop = await world.app(tenant);
      const member = await world.user(shop, { email_verified: true });
      const other = await world.tenant();
      const notices = `INSERT INTO scheduled_change_notices (change_id, user_id, moment)
        SELECT id, $1, 'announced' FROM scheduled_changes WHERE tenant_id = $2`;
      const foreign = await world.app(other);
      const { access_token: theirs } = await world.tokens(await world.tenantAdmin(other), other.consoleAppId);
      for (let n = 0; n < 4; n++) await planned(foreign, { config: { token_lifetime_minutes: 5 + n } }, {}, theirs);
      await world.sql(notices, [member.id, other.id]);
      await planned(shop, { config: { require_2fa: true } });
      await tell();
      expect(await mailsTo(member)).toEqual(['scheduled-change']);
    });

    it.each<[string, (member: TestUser) => Promise<unknown>]>([
      ['have left', ({ id }) => world.sql('DELETE FROM enrollments WHERE user_id = $1', [id])],
      ['are suspended', ({ id }) => world.sql("UPDATE enrollments SET status = 'suspended' WHERE user_id = $1", [id])],
      ['are switched off', ({ id }) => world.sql('UPDATE users SET is_active = false WHERE id = $1', [id])],
      [
        'have an address that is not verified',
        ({ id }) => world.sql('UPDATE users SET email_verified = false WHERE id = $1', [id]),
      ],
    ])('that it does not happen, but not to those who %s by then', async (_, lose) => {
      const shop = await world.app(tenant);
      const [stays, goes] = [
        await world.user(shop, { email_verified: true }),
        await world.user(shop, { email_verified: true }),
      ];
      const change = await planned(shop, { config: { require_2fa: true } });
      await tell();
      await lose(goes);
      await cancelled(change);
      await tell();
      expect([await mailsTo(stays), await mailsTo(goes)]).toEqual([
        ['scheduled-change', 'scheduled-change-retracted'],
        ['scheduled-change'],
      ]);
    });

    it('members by all that is known of them, which the mail log and the prediction do not tell admins', async () => {
      const shop = await world.app(tenant);
      const [member, ready] = [
        await world.user(shop, { email_verified: true }),
        await world.user(shop, { email_verified: true }),
      ];
      await havePasskey(ready);
      const change = await planned(shop, { config: { require_2fa: true } });
      expect(change.prediction_then).toEqual({ set_up_second_factor: 2 });
      // As of an app with more members than a request can judge.
      await world.sql('UPDATE scheduled_changes SET prediction_then = NULL WHERE id = $1', [change.id]);
      await tell();
      expect([await mailsTo(member), await mailsTo(ready)]).toEqual([['scheduled-change'], []]);
      expect((await shown(change.id)).prediction_then).toEqual({ set_up_second_factor: 2 });
      // Nor do those of a platform admin, who may know.
      const byRoot = await planned(shop, { config: { require_2fa: true } }, {}, world.admin.token);
      expect(byRoot.prediction_then).toEqual({ set_up_second_factor: 2 });
      expect((await dueAndRun(byRoot.id)).prediction_now).toEqual({ set_up_second_factor: 2 });
      await world.sql(`UPDATE apps SET config = config || '{"require_2fa": false}' WHERE id = $1`, [shop.id]);
      await cancelled(change);
      await tell();
      const listed = async (as: string) => {
        const path = `/admin/mails?user_id=${member.id}`;
        const { body } = await world.call<{ template: string }[]>('GET', path, undefined, { token: as });
        return body.map(({ template }) => template).filter((template) => template.startsWith('scheduled-'));
      };
      expect(await listed(token)).toEqual([]);
      expect(await listed(world.admin.token)).toEqual(['scheduled-change-retracted', 'scheduled-change']);
    });

    it('no one before those who wait for a link', async () => {
      const user = await world.user(app, { email_verified: true });
      const notice = { template: 'scheduled-change' as const, brand: OWN_BRAND, replyTo: null, holdsFor: null };
      const model = { when: 'soon', what: message('mail.scheduled_change.shut_out') };
      const nest = mailing.service.nest;
      const held = mailing.smtp.hold(/^crowd-/);
      try {
        await nest.get(Transactions, { strict: false }).run(async (tx) => {
          for (let i = 0; i < 1_000; i++) {
            const mail = { ...notice, to: `crowd-${i}@example.com`, model };
            await nest
              .get(MailService, { strict: false })
              .send(tx, mail, { userId: null, app: null, tenantId: tenant.id }, null);
          }
        });
        await eventually('the notices fill their places', () => held.count() === 2);
        await world.call('POST', '/auth/forgot-password', { email: user.email, app_id: app.id });
        await mailing.smtp.next(user.email, /password/i);
        expect(held.count()).toBe(2);
        const invited = newAddress();
        await newInvite(world, app, { send_to_email: invited });
        await mailing.smtp.next(invited, /./);
      } finally {
        await world.sql("DELETE FROM outbox_messages WHERE job = 'mail.send' AND locked_until IS NULL");
        held.release();
      }
    });

    it('the planner what the change did, against what was expected', async () => {
      const shop = await world.app(tenant, { name: 'Bakery' });
      const planner = await otherAdmin();
      await verify(planner.user);
      await world.user(shop);
      const change = await planned(shop, { config: { require_2fa: true } }, {}, planner.token);
      await world.user(shop);
      await dueAndRun(change.id);
      const mail = await mailing.smtp.next(planner.user.email, 'Your scheduled change was applied');
      expect(mail.text).toContain('Bakery has the settings that you scheduled');
      expect(mail.text).toContain('2 users must set up a second factor. When you scheduled it: 1.');
    });

    it('the planner that a change was not made, and what was changed meanwhile', async () => {
      const shop = await world.app(tenant, { name: 'Library' });
      const planner = await otherAdmin();
      await verify(planner.user);
      const change = await planned(shop, { config: { token_lifetime_minutes: 5 } }, {}, planner.token);
      await world.asAdmin('PUT', `/admin/apps/${shop.id}`, { config: { token_lifetime_minutes: 30 } });
      await dueAndRun(change.id);
      const mail = await mailing.smtp.next(planner.user.email, 'A scheduled change was not applied');
      expect(mail.text).toContain('token_lifetime_minutes: 15 when you scheduled the change, 30 now');
    });

    it('the administrators of the tenant that a change scheduled by an app was applied', async () => {
      const own = await world.tenant();
      const shop = await world.app(own, { name: 'Florist' });
      const server = await world.app(own, { service_scopes: ['apps:write'] });
      const owner = await world.tenantAdmin(own);
      await verify(owner);
      const as = await world.serviceToken(server);
      const change = await planned(shop, { config: { token_lifetime_minutes: 7 } }, {}, as);
      await dueNow(change.id);
      await run();
      const mail = await mailing.smtp.next(owner.email, 'Your scheduled change was applied');
      expect(mail.text).toContain('Florist');
    });

    it('the administrators of the tenant where the planner lost the right', async () => {
      const own = await world.tenant();
      const [planner, stays] = [await world.tenantAdmin(own), await world.tenantAdmin(own)];
      await Promise.all([verify(planner), verify(stays)]);
      const as = (await world.tokens(planner, own.consoleAppId)).access_token;
      const change = await planned(own, { min_password_length: 12 }, {}, as);
      await world.sql('DELETE FROM enrollments WHERE user_id = $1', [planner.id]);
      await dueNow(change.id);
      await run();
      const mail = await mailing.smtp.next(stays.email, 'A scheduled change was not applied');
      expect(mail.text).toContain('may no longer make this change');
      expect(await mailsTo(planner)).toEqual([]);
    });
  });

  describe('in the console', () => {
    const review = async (shop: TestClient, fields: Record<string, string>) => {
      const browser = await visitConsole(world, admin);
      const tab = `/console/apps/${shop.id}/sign-in`;
      const page = await browser.get(tab);
      const sent = { ...standing(page, tab), ...fields, form_token: contentToken(page) };
      const shownPage = await browser.post(tab, sent);
      return { browser, tab, shownPage, fields: standing(shownPage, tab) };
    };
    const later = () => ahead(IN_A_WEEK).slice(0, 16);

    it('is scheduled on the page that shows its effect, listed, and cancelled after a question', async () => {
      const shop = await world.app(tenant, { name: 'Toy shop' });
      await world.user(shop, { email_verified: true });
      const { browser, tab, shownPage, fields } = await review(shop, { require_2fa: 'on' });
      expect(contentWords(shownPage)).toContain('Make this change later');
      const refused = await browser.post(tab, { ...fields, schedule: 'on', effective_at: '' });
      expect([refused.status, contentWords(refused)]).toEqual([
        422,
        expect.stringContaining('at least 5 minutes ahead'),
      ]);
      const done = await browser.post(tab, { ...fields, schedule: 'on', effective_at: later() });
      expect(done.location).toBe('/console/scheduled-changes');
      expect(contentWords(await browser.get(done.location!))).toContain('Require a second factor: on');
      expect(contentWords(await browser.get(tab))).toMatch(
        /These settings change later Require a second factor: on\. From /,
      );
      expect(contentWords(await browser.get(`/console/tenants/${tenant.id}`))).not.toContain(
        'These settings change later',
      );
      const [row] = await world.sql<{ id: string }>(
        'SELECT id, change, credential, planned_by FROM scheduled_changes WHERE app_id = $1',
        [shop.id],
      );
      expect(row).toMatchObject({
        change: { config: { require_2fa: true } },
        credential: 'console',
        planned_by: admin.id,
      });
      const cancel = `/console/scheduled-changes/${row!.id}/cancel`;
      const asked = await browser.get(cancel);
      expect(contentWords(asked)).toContain('Cancel the scheduled change?');
      const gone = await browser.post(cancel, { form_token: contentToken(asked) });
      expect([gone.location, (await shown(row!.id)).state]).toEqual(['/console/scheduled-changes', 'cancelled']);
      expect((await configOf(shop))['require_2fa']).toBe(false);
    });

    it('is offered where no user is affected as well, and for an app that is switched off', async () => {
      const shop = await world.app(tenant, { name: 'Empty shop' });
      const { browser, tab, shownPage, fields } = await review(shop, { token_lifetime_minutes: '7', later: 'on' });
      expect(contentWords(shownPage)).toContain('No user is affected. Make this change later');
      expect((await configOf(shop))['token_lifetime_minutes']).toBe(15);
      await browser.post(tab, { ...fields, schedule: 'on', effective_at: later() });
      await world.user(shop);
      const off = `/console/apps/${shop.id}/danger/off`;
      const asked = await browser.get(off);
      const question = await browser.post(off, { ...standing(asked, off), confirm_name: 'Empty shop' });
      expect(contentWords(question)).toContain('Make this change later');
      await browser.post(off, { ...standing(question, off), schedule: 'on', effective_at: later() });
      const rows = await world.sql('SELECT change FROM scheduled_changes WHERE app_id = $1 ORDER BY created_at', [
        shop.id,
      ]);
      expect(rows).toEqual([{ change: { config: { token_lifetime_minutes: 7 } } }, { change: { is_active: false } }]);
      const saved = await browser.post(tab, fields);
      expect([saved.status, (await configOf(shop))['token_lifetime_minutes']]).toEqual([303, 7]);
    });

    it('is listed for the chosen tenant', async () => {
      const other = await world.tenant();
      const [mine, others] = [await world.app(tenant, { name: 'Mine' }), await world.app(other, { name: 'Theirs' })];
      for (const shop of [mine, others]) await planned(shop, { config: { require_pkce: true } }, {}, world.admin.token);
      const browser = await visitConsole(world, world.admin);
      await browser.get(`/console/select-tenant/${other.id}`, OWN_LINK);
      const words = contentWords(await browser.get('/console/scheduled-changes'));
      expect([words.includes('Theirs'), words.includes('Mine')]).toEqual([true, false]);
    });

    it('is made with the rights of the console session', async () => {
      const shop = await world.app(tenant);
      await world.user(shop, { email_verified: true });
      const { browser, tab, fields } = await review(shop, { require_2fa: 'on' });
      await browser.post(tab, { ...fields, schedule: 'on', effective_at: later() });
      const [row] = await world.sql<{ id: string }>('SELECT id FROM scheduled_changes WHERE app_id = $1', [shop.id]);
      expect((await dueAndRun(row!.id)).state).toBe('executed');
      expect((await configOf(shop))['require_2fa']).toBe(true);
    });

    it('is not scheduled while impersonating', async () => {
      const shop = await world.app(tenant);
      await world.user(shop, { email_verified: true });
      const browser = await visitConsole(world, world.admin);
      await actAs(browser, `impersonate/${tenant.id}`);
      const tab = `/console/apps/${shop.id}/sign-in`;
      const page = await browser.get(tab);
      const sent = { ...standing(page, tab), require_2fa: 'on', form_token: contentToken(page) };
      const shownPage = await browser.post(tab, sent);
      expect(contentWords(shownPage)).toContain('Review the effect on users');
      expect(contentWords(shownPage)).not.toContain('Make this change later');
      const fields = { ...standing(shownPage, tab), schedule: 'on', effective_at: later() };
      const refused = await browser.post(tab, fields);
      expect([refused.status, refused.body]).toEqual([403, expect.stringContaining('while you are impersonating')]);
      expect(await world.sql('SELECT 1 FROM scheduled_changes WHERE app_id = $1', [shop.id])).toEqual([]);
    });

    it('says what cannot wait', async () => {
      const shop = await world.app(tenant);
      await world.user(shop, { email_verified: true });
      const changed = { require_2fa: 'on', redirect_uris: 'https://other.example/callback' };
      const { browser, tab, fields } = await review(shop, changed);
      const refused = await browser.post(tab, { ...fields, schedule: 'on', effective_at: later() });
      expect([refused.status, contentWords(refused)]).toEqual([
        422,
        expect.stringContaining('This setting cannot be scheduled'),
      ]);
      expect(await world.sql('SELECT 1 FROM scheduled_changes WHERE app_id = $1', [shop.id])).toEqual([]);
    });

    it('is cancelled by no one else', async () => {
      const shop = await world.app(tenant);
      const change = await planned(shop, { config: { require_2fa: true } });
      const stranger = await visitConsole(world, await world.tenantAdmin(await world.tenant()));
      const list = await stranger.get('/console/scheduled-changes');
      expect(contentWords(list)).toContain('No scheduled changes');
      const answer = await stranger.post(`/console/scheduled-changes/${change.id}/cancel`, {
        form_token: contentToken(await stranger.get('/console/tenant')),
      });
      expect([answer.status, (await shown(change.id)).state]).toEqual([404, 'planned']);
    });
  });

  /** A transaction that holds rows, until it is committed. */
  const holding = async (sql: string, values: unknown[]) => {
    const release = await holdRows(mailing.service.settings.databaseUrl!, sql, values);
    const once = async () => {
      if (held.delete(once)) await release();
    };
    held.add(once);
    return once;
  };
  const waiters = (count: number) => waitersForLocks(world, count);
});
