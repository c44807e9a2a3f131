import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { readdir } from 'node:fs/promises';
import { mock } from 'node:test';
import { ServiceUnavailableException } from '@nestjs/common';
import {
  type HealthCheckResult,
  type HealthCheckService,
  type HealthIndicatorResult,
  HealthIndicatorService,
} from '@nestjs/terminus';
import type { DataSource } from 'typeorm';
import type { Settings } from '../../../src/config/settings.js';
import type { ClockSkew } from '../../../src/database/notifications/clock-skew.js';
import { DatabaseHealth } from '../../../src/operations/database-health.js';
import { ReadinessService } from '../../../src/operations/readiness.service.js';

const UP = { status: 'ok', details: {} } as HealthCheckResult;

describe('Readiness', () => {
  let result: () => Promise<HealthCheckResult>;
  let asked: number;
  let readiness: ReadinessService;

  beforeEach(() => {
    mock.timers.enable({ apis: ['setTimeout'] });
    result = () => Promise.resolve(UP);
    asked = 0;
    const check = () => {
      asked++;
      return result();
    };
    readiness = new ReadinessService(
      { check } as unknown as HealthCheckService,
      new HealthIndicatorService(),
      { checks: () => [] } as unknown as DatabaseHealth,
      { redisUrl: null } as Settings,
    );
  });
  afterEach(() => mock.timers.reset());

  it('is checked once for concurrent calls, and again after a second', async () => {
    expect(await Promise.all(Array.from({ length: 50 }, () => readiness.check()))).toEqual(Array(50).fill(UP));
    expect(asked).toBe(1);
    mock.timers.tick(999);
    await readiness.check();
    expect(asked).toBe(1);
    mock.timers.tick(1);
    result = () => Promise.reject(new ServiceUnavailableException());
    await expect(readiness.check()).rejects.toThrow(ServiceUnavailableException);
    expect(asked).toBe(2);
  });

  it.each([
    [['redis'], false, 503],
    [['redis'], true, 200],
    [['database'], true, 503],
    [['redis', 'database'], true, 503],
    [[], true, 503],
  ])('is refused while %j is down, unless it is Redis alone and ignored (%j)', async (down, ignoresRedis, status) => {
    const error = Object.fromEntries(down.map((name) => [name, { status: 'down' }]));
    result = () => Promise.reject(new ServiceUnavailableException({ status: 'error', error, details: error }));
    const answer = await readiness.check({ ignoresRedis }).catch((thrown: ServiceUnavailableException) => thrown);
    if (status === 200) expect(answer).toEqual({ status: 'ok', error, details: error });
    else
      expect((answer as ServiceUnavailableException).getResponse()).toEqual({ status: 'error', error, details: error });
  });

  it('ends with the stop at once, also for a call that waits for a check', async () => {
    await readiness.check();
    mock.timers.tick(1_000);
    let answer: (result: HealthCheckResult) => void = () => undefined;
    const late = new Promise<HealthCheckResult>((resolve) => (answer = resolve));
    result = () => late;
    const waiting = expect(readiness.check()).rejects.toThrow(ServiceUnavailableException);
    readiness.beginStop();
    await expect(readiness.check()).rejects.toThrow(ServiceUnavailableException);
    answer(UP);
    await waiting;
  });
});

describe('Readiness of the database', () => {
  it('asks for migrations until they are complete, and never again', async () => {
    let rows: { timestamp: string }[] | null = [];
    let queries = 0;
    const query = () => {
      queries++;
      return rows ? Promise.resolve(rows) : Promise.reject(new Error('away'));
    };
    const health = new DatabaseHealth(
      new HealthIndicatorService(),
      { query } as unknown as DataSource,
      { isTooGreat: false } as ClockSkew,
    );
    const check = () => (health.checks()[1] as () => Promise<HealthIndicatorResult>)();
    expect(await check()).toMatchObject({ migrations: { status: 'down', message: 'pending' } });
    rows = (await readdir('src/database/migrations')).map((file) => ({ timestamp: file.split('-')[0]! }));
    expect(await check()).toMatchObject({ migrations: { status: 'up' } });
    rows = null;
    expect(await check()).toMatchObject({ migrations: { status: 'up' } });
    expect(queries).toBe(2);
  });
});
