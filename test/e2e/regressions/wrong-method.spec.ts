import { beforeAll, describe, expect, it } from '@jest/globals';
import { sharedTestApp, type SharedTestApp } from '../../support/test-app.js';

describe('405 Method Not Allowed', () => {
  let service: SharedTestApp;

  beforeAll(async () => {
    service = await sharedTestApp();
  });

  it('is returned for a wrong method, with the right ones in Allow', async () => {
    const answer = await service.http.put('/auth/login');
    expect([answer.status, answer.headers['allow']]).toEqual([405, 'POST']);
  });

  it('is not returned for a missing object behind the right method', async () => {
    const answer = await service.http.get('/assets/package.json');
    expect([answer.status, answer.body, answer.headers['allow']]).toEqual([404, { detail: 'Not Found' }, undefined]);
  });
});
