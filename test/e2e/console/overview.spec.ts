import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ConsoleFixture } from '../../support/console-fixture.js';
import { contentWords, visitConsole } from '../../support/console-visitor.js';
import type { HostedBrowser } from '../../support/hosted-page.js';
import { type TestClient, type TestTenant } from '../../support/world.js';

const HOME = '/console/';

describe('Console: overview', () => {
  let fixture: ConsoleFixture;
  let other: TestTenant;
  let foreign: HostedBrowser;

  beforeAll(async () => {
    fixture = await ConsoleFixture.open();
    other = await fixture.world.tenant();
    foreign = await visitConsole(fixture.world, await fixture.world.tenantAdmin(other));
  });

  afterAll(() => fixture.close());

  /** With a webhook whose newest message failed. */
  async function failing(tenant: TestTenant): Promise<TestClient> {
    const app = await fixture.world.app(tenant, { name: `Failing of ${tenant.name}` });
    const webhook_url = 'https://receiver.example/webhook';
    await fixture.world.asAdmin('PATCH', `/push/config/${app.id}`, { enabled: true, webhook_url });
    await fixture.world.sql('UPDATE push_settings SET webhook_disabled_at = now() WHERE app_id = $1', [app.id]);
    return app;
  }

  it('leads administrators without an app to the first sign-in', async () => {
    const page = await fixture.browser.get(HOME);
    expect(contentWords(page)).toContain('Get to the first sign-in Create an app');
    expect(page.body).toContain('href="/console/apps/new"');
    const platform = await visitConsole(fixture.world, fixture.world.admin);
    expect(contentWords(await platform.get(HOME))).toContain('Create a tenant Done');
  });

  it('says that nothing needs attention, or what does, of the visitor’s own tenant only', async () => {
    expect(contentWords(await fixture.browser.get(HOME))).toContain('Nothing needs your attention.');
    const app = await failing(fixture.tenant);
    const own = await fixture.browser.get(HOME);
    expect(contentWords(own)).toContain(`Check the webhook of Failing of ${fixture.tenant.name}`);
    expect(own.body).toContain(`/console/apps/${app.id}/webhooks`);
    const theirs = await foreign.get(HOME);
    expect(contentWords(theirs)).toContain('Nothing needs your attention.');
    expect(theirs.body).not.toContain(app.id);
  });

  it('tells platform admins, and no others, of jobs that failed', async () => {
    const root = await visitConsole(fixture.world, fixture.world.admin);
    // Mails of the set-up, which has no mail server.
    await fixture.world.sql('UPDATE outbox_messages SET done_at = now(), dead_at = NULL WHERE dead_at IS NOT NULL');
    expect(contentWords(await root.get(HOME))).not.toMatch(/jobs? failed/);
    await fixture.world.sql(
      `INSERT INTO outbox_messages (id, job, payload, max_attempts, attempts, dead_at, last_error)
       VALUES (gen_random_uuid(), 'mail.send', '{}', 15, 15, now(), 'x')`,
    );
    const page = await root.get(HOME);
    expect(contentWords(page)).toContain('1 job failed');
    expect(page.body).toContain('<a href="/console/queues">');
    expect(contentWords(await fixture.browser.get(HOME))).not.toMatch(/jobs? failed/);
  });

  it('tells what was done in the visitor’s own tenant only, in the words of the audit log', async () => {
    const app = await fixture.world.app(fixture.tenant, { name: 'Just Created' });
    expect(contentWords(await fixture.browser.get(HOME))).toMatch(/Recent activity .*created the app Just Created/);
    const theirs = await foreign.get(HOME);
    expect(theirs.body).not.toContain('Just Created');
    const manager = await visitConsole(fixture.world, await fixture.world.user(app, { roles: ['manager'] }));
    expect(contentWords(await manager.get(HOME))).not.toContain('Recent activity');
  });
});
