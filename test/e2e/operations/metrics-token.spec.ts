import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startTestApp, type TestApp } from '../../support/test-app.js';

const TOKEN = 'a-token-for-prometheus';

describe('GET /metrics with METRICS_TOKEN', () => {
  let service: TestApp;
  beforeAll(async () => {
    service = await startTestApp({ settings: { metricsToken: TOKEN } });
  });
  afterAll(() => service.close());

  it.each([undefined, 'Bearer', 'Bearer wrong', `Bearer ${TOKEN}x`, `Basic ${TOKEN}`, TOKEN])(
    'returns 401 for the Authorization header %j',
    async (header) => {
      const asked = service.http.get('/metrics');
      const answer = await (header === undefined ? asked : asked.set('Authorization', header));
      expect([answer.status, answer.body]).toEqual([401, { detail: 'Not authenticated' }]);
      expect(answer.headers['www-authenticate']).toBe('Bearer');
    },
  );

  it('returns the metrics for the token', async () => {
    const answer = await service.http.get('/metrics').set('Authorization', `Bearer ${TOKEN}`);
    expect([answer.status, answer.text]).toEqual([200, expect.stringContaining('# TYPE ')]);
  });
});
