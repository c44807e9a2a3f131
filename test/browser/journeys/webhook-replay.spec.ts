import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { openBrowser } from '../../support/chromium.js';
import { Visitor } from '../../support/visitor.js';
import { eventually } from '../../support/wait.js';
import { WebhookFixture } from '../../support/webhook-fixture.js';
import { verify } from '../../support/webhooks.js';

const PATH = '/webhook';

describe('Webhook set-up and replay in the Console', () => {
  let fixture: WebhookFixture;
  let browser: Browser;
  let admin: Visitor;
  let secret: string;

  beforeAll(async () => {
    [fixture, browser] = await Promise.all([WebhookFixture.open(), openBrowser()]);
    await fixture.world.app(await fixture.world.tenant(), { name: 'Shop' });
    admin = await Visitor.arrive(browser);
    await admin.open(`${fixture.service.baseUrl}/console/`);
    await admin.signIn(fixture.world.admin);
  });

  afterAll(async () => {
    await browser.close();
    await fixture.close();
  });

  /** Reloads the page until it contains the words. */
  const untilItSays = (words: RegExp) =>
    eventually(`a page that says ${words.source}`, async () => {
      await admin.page.reload();
      return words.test(await admin.text());
    });
  const idOf = ({ headers }: { headers: Record<string, unknown> }) => headers['webhook-id'];

  it('enables push, saves a webhook URL and generates a secret', async () => {
    await admin.navigate('Apps');
    await admin.follow('Shop');
    await admin.tab('Push');
    await admin.tick('Turn on push notifications');
    await admin.press('Save changes', 'section[aria-labelledby="settings"]');
    await admin.tab('Webhooks');
    await admin.fill({ 'Webhook URL': fixture.receiver.url(PATH) });
    await admin.press('Save changes');
    expect(await admin.notice()).toBe('The URL was saved.');
    await admin.follow('Regenerate secret…');
    await admin.press('Regenerate secret');
    secret = await admin.page.locator('.secret-once code').innerText();
    expect(secret).toMatch(/^whsec_/);
  });

  it('logs the failures at a receiver that answers 500', async () => {
    fixture.receiver.on(PATH, 500);
    await admin.tab('Webhooks');
    await admin.press('Send test event');
    expect(await admin.notice()).toBe('The test event is being sent.');
    // After the second attempt the next one is due in five minutes: the replay comes from the button.
    await fixture.receiver.count(PATH, 2);
    await admin.tab('Webhooks');
    await untilItSays(/webhook\.test .* Retrying \(2\) 2 HTTP 500/i);
  });

  it('delivers the same message after a replay', async () => {
    fixture.receiver.on(PATH, 204);
    await admin.follow('webhook.test');
    expect(await admin.text('section[aria-labelledby="tries"]')).toMatch(/HTTP 500.*HTTP 500/);
    await admin.press('Send message again');
    const [first, second, third] = await fixture.receiver.count(PATH, 3);
    expect(idOf(first!)).toMatch(/^msg_/);
    expect([idOf(second!), idOf(third!)]).toEqual([idOf(first!), idOf(first!)]);
    expect(third!.body).toBe(first!.body);
    expect(verify(secret, third!)).toMatchObject({ type: 'webhook.test' });
    await untilItSays(/State Received/i);
    expect(await admin.text()).toContain(idOf(first!) as string);
    expect(fixture.receiver.to(PATH)).toHaveLength(3);
  });
});
