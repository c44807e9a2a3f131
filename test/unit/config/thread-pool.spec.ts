import { availableParallelism } from 'node:os';
import { describe, expect, it } from '@jest/globals';
import { limitThreadPool } from '../../../src/thread-pool.js';

describe('The number of threads for signatures', () => {
  it('is that of the cores, at least two and at most four', () => {
    const environment: NodeJS.ProcessEnv = {};
    limitThreadPool(environment);
    expect(environment).toEqual({ UV_THREADPOOL_SIZE: String(Math.min(4, Math.max(2, availableParallelism()))) });
  });

  it('is the one that the operator has chosen', () => {
    const environment = { UV_THREADPOOL_SIZE: '7' };
    limitThreadPool(environment);
    expect(environment).toEqual({ UV_THREADPOOL_SIZE: '7' });
  });
});
