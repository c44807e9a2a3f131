import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { INestApplication } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import request from 'supertest';
import type { App } from 'supertest/types.js';
import { ACCESS_MARK } from '../../../../../src/common/http/access-marks.js';
import { Assets } from '../../../../../src/common/pages/assets/assets.js';
import { AssetsController } from '../../../../../src/common/pages/assets/assets.controller.js';

describe('Assets over HTTP', () => {
  let nest: INestApplication<App>;
  const assets = new Assets();

  beforeAll(async () => {
    const module = await Test.createTestingModule({
      controllers: [AssetsController],
      providers: [{ provide: Assets, useValue: assets }],
    }).compile();
    nest = module.createNestApplication<INestApplication<App>>();
    await nest.init();
  });
  afterAll(() => nest.close());

  it('can be cached for a year, and have a fixed content type', async () => {
    const { status, headers } = await request(nest.getHttpServer()).get(assets.url('hosted.css'));
    expect(status).toBe(200);
    expect(headers['cache-control']).toBe('public, max-age=31536000, immutable');
    expect(headers['content-type']).toBe('text/css; charset=utf-8');
    expect(headers['x-content-type-options']).toBe('nosniff');
  });

  it('are compressed for clients that accept it, with Vary for caches', async () => {
    const get = (encoding: string) =>
      request(nest.getHttpServer()).get(assets.url('console.css')).set('Accept-Encoding', encoding);
    const [small, whole] = [await get('gzip'), await get('identity')];
    expect(small.headers['content-encoding']).toBe('gzip');
    expect(small.headers['vary']).toBe('Accept-Encoding');
    expect(whole.headers['content-encoding']).toBeUndefined();
    expect(whole.headers['vary']).toBe('Accept-Encoding');
    expect(Number(small.headers['content-length'])).toBeLessThan(Number(whole.headers['content-length']) / 3);
    expect(small.text).toBe(whole.text);
  });

  it('need no sign-in', () => {
    const handler = Object.getOwnPropertyDescriptor(AssetsController.prototype, 'show')!.value as object;
    expect(Reflect.getMetadata(ACCESS_MARK, handler)).toEqual({ kind: 'public', credentials: [] });
  });
});
