import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ConsoleFixture } from '../../../support/console-fixture.js';
import { contentWords } from '../../../support/console-visitor.js';
import type { TestClient } from '../../../support/world.js';

describe('Console: archiving an app', () => {
  let fixture: ConsoleFixture;
  let app: TestClient;
  let home: string;
  let name: string;

  beforeAll(async () => {
    fixture = await ConsoleFixture.open();
    app = await fixture.world.app(fixture.tenant);
    home = `/console/apps/${app.id}`;
    ({ name } = await fixture.shown(app));
  });

  afterAll(() => fixture.close());

  const words = async (path: string) => contentWords(await fixture.browser.get(path));

  it('asks for the name, hides the app from the list, and says on its pages that it is archived', async () => {
    const wrong = await fixture.fill(`${home}/danger/archive`, { confirm_name: 'something else' });
    expect([wrong.status, contentWords(wrong)]).toEqual([422, expect.stringContaining('The name does not match.')]);
    const done = await fixture.fill(`${home}/danger/archive`, { confirm_name: name });
    expect([done.status, done.location]).toEqual([303, '/console/apps']);
    expect(await words('/console/apps')).toContain(`${name} is archived.`);
    expect((await fixture.browser.get('/console/apps')).body).not.toContain(home);
    expect(await words('/console/apps?archived=1')).toContain(name);
    expect(await words(home)).toContain('This app is archived');
  });

  it('restores the app from the Danger tab, still switched off', async () => {
    const restored = await fixture.press(`${home}/danger`, `${home}/danger/restore`);
    expect([restored.status, restored.location]).toEqual([303, `${home}/danger`]);
    expect(await words(`${home}/danger`)).toContain('It is still switched off.');
    expect(await fixture.shown(app)).toMatchObject({ is_active: false, archived_at: null });
    const on = await fixture.press(`${home}/danger`, `${home}/on`);
    expect([on.status, (await fixture.shown(app)).is_active]).toEqual([303, true]);
  });
});
