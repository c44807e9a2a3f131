import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { median } from '../../support/median.js';
import { postJson } from '../../support/post.js';
import { startTestApp, type TestApp } from '../../support/test-app.js';
import { type TestClient, World } from '../../support/world.js';

const ROUNDS = 400;
const UNKNOWN = '6b1ed2f2-9f0c-4a2b-8f44-1c8f5a5a5a5a';

// security 71
describe('POST /auth/token does not disclose whether a client exists', () => {
  let service: TestApp;
  let world: World;
  let app: TestClient;

  beforeAll(async () => {
    const overrides = { client_credentials: { points: 100_000, seconds: 900 } };
    service = await startTestApp({ settings: { rateLimits: { enabled: true, overrides } } });
    world = await World.open(service.baseUrl, service.settings.databaseUrl!);
    app = await world.app(await world.tenant());
  });

  afterAll(async () => {
    await world.close();
    await service.close();
  });

  const refused = async (client_id: string): Promise<number> => {
    const start = performance.now();
    const answer = await postJson(`${world.baseUrl}/auth/token`, {
      grant_type: 'client_credentials',
      client_id,
      client_secret: 'not the secret',
    });
    expect([answer.status, answer.body.detail]).toEqual([401, 'invalid_client']);
    return performance.now() - start;
  };

  it('through the duration of an error: medians are between 0.8 and 1.25 (security 71)', async () => {
    const [known, unknown]: [number[], number[]] = [[], []];
    for (let round = 0; round < ROUNDS; round++) {
      // Each is first in half of the rounds: the second one waits for what the first one has left to do.
      if (round % 2 === 0) known.push(await refused(app.id));
      unknown.push(await refused(UNKNOWN));
      if (round % 2 === 1) known.push(await refused(app.id));
    }
    expect(median(unknown) / median(known)).toBeGreaterThan(0.8);
    expect(median(unknown) / median(known)).toBeLessThan(1.25);
  }, 240_000);
});
