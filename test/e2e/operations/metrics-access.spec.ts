import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import supertest from 'supertest';
import { freePort } from '../../support/free-port.js';
import { startTestApp, type TestApp } from '../../support/test-app.js';

const TOKEN = 'a-token-for-prometheus';
const WRONG = [undefined, 'Bearer', 'Bearer wrong', `Bearer ${TOKEN}x`, `Basic ${TOKEN}`, TOKEN];

async function ask(address: string, header?: string) {
  const asked = supertest(address).get('/metrics');
  const { status, body, headers } = await (header === undefined ? asked : asked.set('Authorization', header));
  return { status, body: body as unknown, challenge: headers['www-authenticate'] as string | undefined };
}
const REFUSED = { status: 401, body: { detail: 'Not authenticated' }, challenge: 'Bearer' };

describe('GET /metrics without METRICS_TOKEN and METRICS_PORT', () => {
  let service: TestApp;
  beforeAll(async () => {
    service = await startTestApp();
  });
  afterAll(() => service.close());

  it('answers a direct request from a private address', async () => {
    expect((await service.http.get('/metrics')).status).toBe(200);
  });

  it.each(['X-Forwarded-For', 'Forwarded', 'Via'])('returns 401 to a request with %s', async (header) => {
    const answer = await service.http.get('/metrics').set(header, '127.0.0.1');
    expect([answer.status, answer.body]).toEqual([401, { detail: 'Not authenticated' }]);
  });
});

describe('GET /metrics with METRICS_TOKEN', () => {
  let service: TestApp;
  beforeAll(async () => {
    service = await startTestApp({ settings: { metricsToken: TOKEN } });
  });
  afterAll(() => service.close());

  it.each(WRONG)('returns 401 for the Authorization header %j', async (header) => {
    expect(await ask(service.baseUrl, header)).toEqual(REFUSED);
  });

  it('returns the metrics for the token, through a proxy too', async () => {
    const asked = service.http.get('/metrics').set('X-Forwarded-For', '203.0.113.7');
    const answer = await asked.set('Authorization', `Bearer ${TOKEN}`);
    expect([answer.status, answer.text]).toEqual([200, expect.stringContaining('# TYPE ')]);
  });
});

describe('METRICS_PORT', () => {
  let service: TestApp;
  let address: string;
  beforeAll(async () => {
    const metricsPort = await freePort();
    address = `http://127.0.0.1:${metricsPort}`;
    service = await startTestApp({ settings: { metricsPort } });
  });
  afterAll(() => service.close());

  it('serves the metrics, and nothing on the public port', async () => {
    const answer = await supertest(address).get('/metrics');
    expect([answer.status, answer.text]).toEqual([200, expect.stringContaining('# TYPE ')]);
    expect(answer.headers['content-type']).toBe('text/plain; version=0.0.4; charset=utf-8');
    expect((await service.http.get('/metrics')).status).toBe(404);
  });

  it('serves liveness, and nothing else of the service', async () => {
    const ask = async (path: string) => (await supertest(address).get(path)).status;
    expect([await ask('/health/live'), await ask('/login'), await ask('/docs')]).toEqual([200, 404, 404]);
    expect((await supertest(address).post('/metrics')).status).toBe(405);
  });
});

describe('METRICS_PORT with METRICS_TOKEN', () => {
  let service: TestApp;
  let address: string;
  beforeAll(async () => {
    const metricsPort = await freePort();
    address = `http://127.0.0.1:${metricsPort}`;
    service = await startTestApp({ settings: { metricsPort, metricsToken: TOKEN } });
  });
  afterAll(() => service.close());

  it.each(WRONG)('returns 401 for the Authorization header %j', async (header) => {
    expect(await ask(address, header)).toEqual(REFUSED);
  });

  it('returns the metrics for the token', async () => {
    expect((await ask(address, `Bearer ${TOKEN}`)).status).toBe(200);
  });

  it('ends with the service', async () => {
    const metricsPort = await freePort();
    const other = await startTestApp({ settings: { metricsPort } });
    await other.close();
    await expect(fetch(`http://127.0.0.1:${metricsPort}/metrics`)).rejects.toThrow();
  });
});
