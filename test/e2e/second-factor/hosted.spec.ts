import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { codeAt, wrongCode } from '../../support/authenticator.js';
import { HostedBrowser, loginPath } from '../../support/hosted-page.js';
import { startTestApp, type TestApp } from '../../support/test-app.js';
import { World } from '../../support/world.js';

const SECRET = /<p class="secret">([\s\S]*?)<\/p>/;

describe('A second factor on the hosted page', () => {
  let service: TestApp;
  let world: World;

  beforeAll(async () => {
    service = await startTestApp();
    world = await World.open(service.baseUrl, service.settings.databaseUrl!);
  });

  afterAll(async () => {
    await world.close();
    await service.close();
  });

  it('is set up on the way in where the app demands it, and asked for the next time', async () => {
    const app = await world.app(await world.tenant(), { config: { require_2fa: true } });
    const person = await world.person(app);
    const browser = new HostedBrowser(world.baseUrl);
    const setup = await browser.signIn(loginPath(app), person.email, person.password);
    expect(setup.body).toContain('Set up a second factor');
    const secret = SECRET.exec(setup.body)![1]!.replace(/<[^>]*>|\s/g, '');
    const wrong = await browser.submit(setup, { code: wrongCode(secret) });
    expect([wrong.status, wrong.body.includes('not right')]).toEqual([401, true]);
    expect(SECRET.exec(wrong.body)![1]!.replace(/<[^>]*>|\s/g, '')).toBe(secret);
    const kept = await browser.submit(wrong, { code: codeAt(secret, Date.now() / 1000 - 30) });
    expect(kept.body.match(/<li><code>/g)).toHaveLength(10);
    const end = await browser.get(/action="(\/sign-in\/[^"]+)"/.exec(kept.body)![1]!);
    expect(end.delivered.get('code')).not.toBeNull();

    const other = new HostedBrowser(world.baseUrl);
    const asked = await other.signIn(loginPath(app), person.email, person.password);
    expect(asked.body).toContain('six digits');
    expect(other.cookie('sso')).toBeUndefined();
    const done = await other.submit(asked, { code: codeAt(secret) });
    expect(done.delivered.get('code')).not.toBeNull();
    expect(other.cookie('sso')).toBeDefined();
    expect((await other.get(loginPath(app))).delivered.get('code')).not.toBeNull();
  });

  it('leads to the account page for somebody who comes without an app', async () => {
    const person = await world.person();
    const browser = new HostedBrowser(world.baseUrl);
    const end = await browser.signIn('/account/sign-in', person.email, person.password);
    expect(end.location).toBe(`${world.baseUrl}/account`);
  });
});
