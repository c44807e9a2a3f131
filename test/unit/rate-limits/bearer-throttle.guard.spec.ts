import { afterEach, describe, expect, it } from '@jest/globals';
import { Controller, Get, type INestApplication } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { Test } from '@nestjs/testing';
import type { NextFunction, Request, Response } from 'express';
import request from 'supertest';
import { type Actor, NO_AUTHORITY } from '../../../src/common/actor.js';
import { Requires } from '../../../src/common/http/access-marks.js';
import { readEnvironment } from '../../../src/config/env.js';
import { CommonModule } from '../../../src/common/common.module.js';
import { ConfigModule } from '../../../src/config/config.module.js';
import { BearerThrottleGuard } from '../../../src/rate-limits/bearer-throttle.guard.js';
import { RateLimited } from '../../../src/rate-limits/rate-limited.js';
import { RateLimitsModule } from '../../../src/rate-limits/rate-limits.module.js';
import { RateLimitsService } from '../../../src/rate-limits/rate-limits.service.js';

@Controller()
class Routes {
  @Requires({ minimumRole: 'user' })
  @Get('push/things')
  things() {
    return 'ok';
  }

  @Requires({ minimumRole: 'user' })
  @Get('push/others')
  others() {
    return 'ok';
  }
}

const ACTORS: Record<string, Actor> = {
  ann: { type: 'user', userId: 'ann', email: 'ann@example.com', audience: 'a', viaApp: null, authority: NO_AUTHORITY },
  bob: { type: 'user', userId: 'bob', email: 'bob@example.com', audience: 'a', viaApp: null, authority: NO_AUTHORITY },
  app: { type: 'service', appId: 'ann', tenantId: 't', scopes: new Set() },
};

describe('BearerThrottleGuard', () => {
  let app: INestApplication;
  const thrown: unknown[] = [];

  async function start(environment: Record<string, string>): Promise<void> {
    const settings = readEnvironment(environment);
    const module = await Test.createTestingModule({
      imports: [CommonModule, ConfigModule.register(settings), RateLimitsModule],
      controllers: [Routes],
      providers: [{ provide: APP_GUARD, useExisting: BearerThrottleGuard }],
    }).compile();
    app = module.createNestApplication({ logger: false });
    app.use((req: Request, _: Response, next: NextFunction) => {
      Object.assign(req, { context: { actor: ACTORS[String(req.headers['x-actor'])] } });
      next();
    });
    app.useGlobalFilters({
      catch: (error: unknown, host) => {
        thrown.push(error);
        host.switchToHttp().getResponse<Response>().sendStatus(429);
      },
    });
    await app.init();
  }

  const get = (path: string, actor: string) => request(app.getHttpServer()).get(path).set('x-actor', actor);

  afterEach(async () => {
    thrown.length = 0;
    await app.close();
  });

  it('counts every bearer route of one user together and rejects requests beyond the limit', async () => {
    await start({ RATE_LIMITS: 'admin=3/60' });
    await get('/push/things', 'ann').expect(200);
    await get('/push/others', 'ann').expect(200);
    await get('/push/things', 'ann').expect(200);
    await get('/push/others', 'ann').expect(429);
    const refusal = thrown[0] as RateLimited;
    expect(refusal).toBeInstanceOf(RateLimited);
    expect(refusal.detail).toBe('too_many_requests');
    expect(refusal.extras.retryAfter).toBe(60);
  });

  it('counts each principal separately, also a user and an app with the same id', async () => {
    await start({ RATE_LIMITS: 'admin=1/60' });
    for (const actor of ['ann', 'bob', 'app']) await get('/push/things', actor).expect(200);
    for (const actor of ['ann', 'bob', 'app']) await get('/push/things', actor).expect(429);
  });

  it('uses the counters that can be shown and cleared', async () => {
    await start({ RATE_LIMITS: 'admin=1/60' });
    await get('/push/things', 'ann').expect(200);
    const limits = app.get(RateLimitsService);
    expect(await limits.inspect([{ label: 'admin', key: 'user:ann' }])).toEqual([
      { label: 'admin', key: 'user:ann', count: 1, ttl: 60, points: 1 },
    ]);
    await limits.clear('admin', 'user:ann');
    await get('/push/things', 'ann').expect(200);
  });

  it('is switched off by RATE_LIMITS=off', async () => {
    await start({ RATE_LIMITS: 'off' });
    for (let i = 0; i < 5; i++) await get('/push/things', 'ann').expect(200);
    expect(await app.get(RateLimitsService).inspect([{ label: 'admin', key: 'user:ann' }])).toEqual([]);
  });
});
