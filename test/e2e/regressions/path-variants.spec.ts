import { beforeAll, describe, expect, it } from '@jest/globals';
import { sharedTestApp, type SharedTestApp } from '../../support/test-app.js';

describe('Other spellings of a path', () => {
  let service: SharedTestApp;

  beforeAll(async () => {
    service = await sharedTestApp();
  });

  it.each(['/ADMIN/tenants', '/Login', '/.Well-Known/jwks.json', '/admin//tenants', '/admin/tenants;x'])(
    'return 404 for %s',
    async (path) => {
      const answer = await service.http.get(path);
      expect([answer.status, answer.body]).toEqual([404, { detail: 'Not Found' }]);
    },
  );

  it('return OAuth errors at the token endpoint with a trailing slash', async () => {
    const answer = await service.http.post('/auth/token/').type('form').send({ grant_type: 'device_code' });
    expect([answer.status, answer.body]).toEqual([
      400,
      { detail: 'unsupported_grant_type', error: 'unsupported_grant_type' },
    ]);
  });
});
