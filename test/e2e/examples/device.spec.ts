import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { deviceApp, typeCode } from '../../support/device-grant.js';
import { HostedBrowser } from '../../support/hosted-page.js';
import { sharedTestApp, type SharedTestApp } from '../../support/test-app.js';
import { eventually } from '../../support/wait.js';
import { type TestUser, type TestClient, World } from '../../support/world.js';

describe('examples/device', () => {
  let service: SharedTestApp;
  let world: World;
  let app: TestClient;

  beforeAll(async () => {
    service = await sharedTestApp();
    world = await World.open(service.baseUrl, service.settings.databaseUrl!);
    app = await deviceApp(world, await world.tenant(), { client_type: 'public' });
  });

  afterAll(() => world.close());

  /** Runs the script while a user answers at the printed address. @returns what it said, and how it ended */
  async function run(user: TestUser, answer: 'allow' | 'deny'): Promise<{ said: string; code: number }> {
    const script = spawn(process.execPath, ['examples/device/device.js'], {
      env: { ...process.env, APP_ID: app.id, ISSUER: service.baseUrl },
    });
    const exited = once(script, 'exit');
    try {
      let said = '';
      for (const stream of [script.stdout, script.stderr])
        stream.on('data', (chunk: Buffer) => (said += String(chunk)));
      const code = await eventually('the script shows a code', () => /code ([A-Z-]{9})\n/.exec(said)?.[1]);
      const browser = new HostedBrowser(service.baseUrl);
      const login = await typeCode(browser, code);
      const page = await browser.submit(login, { email: user.email, password: user.password });
      expect(page.body).toContain('device-example');
      await browser.submit(page, { answer });
      const [exit] = (await exited) as [number];
      return { said, code: exit };
    } finally {
      script.kill();
    }
  }

  it('signs a user in, refreshes and signs out, once they have allowed it', async () => {
    const user = await world.user(app);
    const { said, code } = await run(user, 'allow');
    expect([code, said]).toEqual([0, expect.stringContaining(`Signed in as ${user.email}\nSigned out\n`)]);
    const families = await world.sql('SELECT revoked_for FROM refresh_families WHERE user_id = $1', [user.id]);
    expect(families).toEqual([{ revoked_for: 'owner' }]);
  });

  it('says so if they deny it', async () => {
    const { said, code } = await run(await world.user(app), 'deny');
    expect([code, said]).toEqual([1, expect.stringContaining('Not signed in: access_denied\n')]);
  });
});
