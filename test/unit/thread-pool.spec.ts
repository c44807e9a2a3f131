import { availableParallelism } from 'node:os';
import { describe, expect, it } from '@jest/globals';
import { limitThreadPool } from '../../src/thread-pool.js';

describe('The number of threads for signatures', () => {
  it('is that of the cores, at least two and at most four', () => {
    const environment: NodeJS.ProcessEnv = { DATABASE_URL: 'postgres://db/x' };
    limitThreadPool(environment);
    expect(environment['UV_THREADPOOL_SIZE']).toBe(String(Math.min(4, Math.max(2, availableParallelism()))));
  });

  it.each([
    ['private targets are allowed', { DATABASE_URL: 'postgres://db/x', ALLOW_PRIVATE_NETWORK_TARGETS: 'true' }],
    ['the database is embedded', { ALLOW_PRIVATE_NETWORK_TARGETS: '' }],
  ])('is four where names that tenants choose are looked up on these threads, because %s', (_, given) => {
    const environment: NodeJS.ProcessEnv = { ...given };
    limitThreadPool(environment);
    expect(environment['UV_THREADPOOL_SIZE']).toBe('4');
  });

  it('is the one that the operator has chosen', () => {
    const environment = { UV_THREADPOOL_SIZE: '7' };
    limitThreadPool(environment);
    expect(environment).toEqual({ UV_THREADPOOL_SIZE: '7' });
  });
});
