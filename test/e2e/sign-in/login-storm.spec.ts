import { availableParallelism } from 'node:os';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { median } from '../../support/median.js';
import { postJson } from '../../support/post.js';
import { type ServiceProcess, startProcess } from '../../support/service-process.js';
import { sharedDatabaseUrl } from '../../support/test-database.js';
import { type TestClient, unique, World } from '../../support/world.js';

/** More than the hashing threads do in five seconds, which is how long their queue is. */
const STORM = 400;

// security 10
describe('Burst of sign-ins', () => {
  let service: ServiceProcess;
  let world: World;
  let app: TestClient;

  beforeAll(async () => {
    // A cost that makes the hashes take seconds together, in its own process: the storm is not to slow the tests.
    service = await startProcess('dist/main.js', { BCRYPT_COST: '10' });
    world = await World.open(service.baseUrl, sharedDatabaseUrl());
    app = await world.app(await world.tenant());
  });

  afterAll(async () => {
    await world.close();
    await service.kill();
  });

  it('is bounded: requests beyond the queue get 503, and the key set still answers quickly', async () => {
    let pending = STORM;
    let hashed = 0;
    const storm = Array.from({ length: STORM }, async () => {
      const body = { email: `storm-${unique()}@example.com`, password: 'a password', app_id: app.id };
      const answer = await postJson(`${service.baseUrl}/auth/login`, body);
      pending--;
      if (answer.status === 401) hashed++;
      return answer;
    });
    const hashedMeanwhile: number[] = [];
    for (let n = 0; n < 20 && pending > 0; n++) {
      const before = hashed;
      expect((await fetch(`${service.baseUrl}/.well-known/jwks.json`)).status).toBe(200);
      if (pending > 0) hashedMeanwhile.push(hashed - before);
    }
    expect(hashedMeanwhile.length).toBeGreaterThan(2);
    // Counted in hashes, of which each thread does one at a time: a machine that is slow is slow in both.
    expect(median(hashedMeanwhile)).toBeLessThanOrEqual(2 * availableParallelism());

    const answers = await Promise.all(storm);
    const shed = answers.filter(({ status }) => status === 503);
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([401, 503]));
    for (const { headers } of shed) expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);

    const user = await world.user(app);
    expect((await world.login(user, app.id)).status).toBe(200);
  }, 240_000);
});
