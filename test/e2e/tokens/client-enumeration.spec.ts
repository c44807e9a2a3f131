import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { READING_MS } from '../../../src/apps/directory/live-clients.js';
import { statementsOf } from '../../support/counted-work.js';
import { postJson } from '../../support/post.js';
import { startTestApp, type TestApp } from '../../support/test-app.js';
import { eventually } from '../../support/wait.js';
import { type TestClient, World } from '../../support/world.js';

const UNKNOWN = '6b1ed2f2-9f0c-4a2b-8f44-1c8f5a5a5a5a';

// security 71
describe('POST /auth/token does not disclose whether a client exists', () => {
  let service: TestApp;
  let world: World;
  let app: TestClient;

  beforeAll(async () => {
    const overrides = {
      client_credentials: { points: 100_000, seconds: 900 },
      refused_clients: { points: 2, seconds: 900 },
    };
    service = await startTestApp({ settings: { rateLimits: { enabled: true, overrides } } });
    world = await World.open(service.baseUrl, service.settings.databaseUrl!);
    app = await world.app(await world.tenant());
  });

  afterAll(async () => {
    await world.close();
    await service.close();
  });

  /** When nothing that was read before serves any more. */
  const refusedLater = async (client_id: string): Promise<void> => {
    await sleep(READING_MS + 1);
    await refused(client_id);
  };

  const refused = async (client_id: string): Promise<void> => {
    const answer = await postJson(`${world.baseUrl}/auth/token`, {
      grant_type: 'client_credentials',
      client_id,
      client_secret: 'not the secret',
    });
    expect([answer.status, answer.body.detail]).toEqual([401, 'invalid_client']);
  };

  it('through the duration of an error: the same statements before the answer (security 71)', async () => {
    // The unknown one first: what is written down about the known one comes later.
    const unknown = await statementsOf(() => refusedLater(UNKNOWN));
    expect(unknown).not.toEqual([]);
    expect(await statementsOf(() => refusedLater(app.id))).toEqual(unknown);
  });

  it('through the duration of the next error: what was read a moment ago serves for both (security 71)', async () => {
    for (const id of [UNKNOWN, app.id])
      await eventually(`a second request about ${id} asks the database nothing`, async () => {
        return (await statementsOf(() => refused(id))).length === 0;
      });
  });

  it('records refusals of a client up to the limit `refused_clients`, whatever its requests are allowed', async () => {
    const [guessed, last] = [await world.app(await world.tenant()), await world.app(await world.tenant())];
    const recorded = async (appId: string) =>
      (await world.sql(`SELECT 1 FROM audit_entries WHERE app_id = $1 AND action = 'service_token.refused'`, [appId]))
        .length;
    for (let attempt = 0; attempt < 4; attempt++) await refused(guessed.id);
    await eventually('the first are recorded', async () => (await recorded(guessed.id)) >= 2);
    await refused(last.id);
    await eventually('a later one of another app is recorded', async () => (await recorded(last.id)) === 1);
    expect(await recorded(guessed.id)).toBe(2);
  });
});
