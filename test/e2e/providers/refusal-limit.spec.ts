import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { register } from 'prom-client';
import { DataSource } from 'typeorm';
import { FailureMeasure } from '../../../src/audit/statistics/audited-measures.js';
import { AuditedDenials } from '../../../src/auth/access/denials/audited-denials.js';
import { HostedBrowser } from '../../support/hosted-page.js';
import { follow, providerUser, startPath } from '../../support/provider-sign-in.js';
import { ScriptedOpenId } from '../../support/scripted-openid.js';
import { startTestApp, type TestApp } from '../../support/test-app.js';
import { World } from '../../support/world.js';

const HOUR_MS = 3_600_000;

describe('Users who have authenticated and are refused', () => {
  let google: ScriptedOpenId;
  let service: TestApp;
  let world: World;

  beforeAll(async () => {
    google = await ScriptedOpenId.start();
    const providers = { google: google.settings, microsoft: null, github: null, apple: null };
    const rateLimits = { enabled: true, overrides: { denials: { points: 3, seconds: 900 } } };
    service = await startTestApp({ settings: { providers, rateLimits, redisUrl: null } });
    world = await World.open(service.baseUrl, service.settings.databaseUrl!);
  });

  afterAll(async () => {
    await world.close();
    await service.close();
    await google.close();
  });

  /** Entries cannot be deleted: above the limit they become one with a count. */
  async function expectLimited(
    app: { id: string; tenantId: string },
    tries: number,
    limited_by: string,
  ): Promise<void> {
    await service.nest.get(AuditedDenials, { strict: false }).beforeApplicationShutdown();
    const rows = await world.sql<{ metadata: { count?: number } }>(
      `SELECT metadata FROM audit_entries WHERE app_id = $1 AND action = 'user.login_failed' ORDER BY ordinal`,
      [app.id],
    );
    const single = rows.filter(({ metadata }) => metadata.count === undefined);
    expect(single.length).toBeLessThanOrEqual(3);
    expect(rows.at(-1)!.metadata).toEqual({
      count: tries - single.length,
      since: expect.any(String),
      limited_by,
    });
    // Statistics and metrics count sign-ins, not entries.
    const [from, to] = [new Date(Date.now() - HOUR_MS), new Date(Date.now() + HOUR_MS)];
    const counted = await new FailureMeasure().count(service.nest.get(DataSource).manager, from, to);
    expect(counted.find(({ scopeId }) => scopeId === app.id)?.count).toBe(tries);
    const { values } = await register.getSingleMetric('identity_login_failures_total')!.get();
    expect(values.find(({ labels }) => labels['tenant'] === app.tenantId)?.value).toBe(tries);
  }

  it('by JSON are recorded up to the limit of denials, and beyond it counted', async () => {
    const tenant = await world.tenant();
    const [app, closed] = [await world.app(tenant), await world.app(tenant)];
    const user = await world.user(app);
    for (let n = 0; n < 7; n++) expect((await world.login(user, closed.id)).status).toBe(403);
    await expectLimited(closed, 7, 'account');
    // Neither the account nor its app takes the entries of others.
    const [other, elsewhere] = [await world.user(app), await world.app(await world.tenant())];
    for (const [who, where] of [
      [other, closed],
      [await world.user(app), elsewhere],
    ] as const) {
      expect((await world.login(who, where.id)).status).toBe(403);
      const named = await world.sql(
        `SELECT metadata FROM audit_entries WHERE app_id = $1 AND user_id = $2 AND action = 'user.login_failed'`,
        [where.id, who.id],
      );
      expect(named).toEqual([{ metadata: { reason: 'not_enrolled' } }]);
    }
  });

  it('by a provider are recorded up to the limit of denials, and beyond it counted', async () => {
    const config = { redirect_uris: ['https://shop.example/cb'], allowed_providers: ['password', 'google'] };
    const made = await world.app(await world.tenant(), { registration_policy: 'invite', config });
    const app = { ...made, redirectUri: 'https://shop.example/cb' };
    google.user = providerUser();
    const browser = new HostedBrowser(service.baseUrl);
    for (let n = 0; n < 7; n++) {
      const { location } = await browser.get(startPath('google', app));
      const sent = new URL(location!).searchParams;
      google.nonce = sent.get('nonce')!;
      const query = new URLSearchParams({ code: 'code', state: sent.get('state')! });
      const page = await follow(browser, await browser.get(`/oauth/google/callback?${query.toString()}`));
      expect([page.status, page.body.includes('You need an invitation')]).toEqual([200, true]);
    }
    await expectLimited(app, 7, 'network address');
  });
});
