import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Body, Controller, Get, Header, HttpCode, Module, NotFoundException, Param, Post, Res } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { ExpressAdapter, type NestExpressApplication } from '@nestjs/platform-express';
import type { Express, Request, Response } from 'express';
import type { AddressInfo } from 'node:net';
import { LeanExpressAdapter } from '../../../../src/common/http/lean-express-adapter.js';

@Controller('things')
class ThingsController {
  @Get('object') object() {
    return { text: 'naïve ✓', list: [1, null], absent: undefined };
  }
  @Get('list') list() {
    return [{ id: 1 }];
  }
  @Get('text') text() {
    return 'plain';
  }
  @Get('nothing') nothing() {
    return undefined;
  }
  @Get('empty') @HttpCode(204) empty() {
    return { never: 'sent' };
  }
  @Get('typed') @Header('Content-Type', 'application/problem+json') typed() {
    return { title: 'typed' };
  }
  @Get('tagged') @Header('ETag', '"one"') tagged() {
    return { tagged: true };
  }
  @Get('own') own(@Res() response: Response) {
    response.status(202).json({ own: true });
  }
  @Get('fault') fault() {
    throw new NotFoundException('gone');
  }
  @Get('of/:id') one(@Param('id') id: string) {
    return { id };
  }
  @Post('echo') echo(@Body() body: object) {
    return body;
  }
}

@Module({ controllers: [ThingsController] })
class ThingsModule {}

async function start(adapter: ExpressAdapter): Promise<NestExpressApplication> {
  const app = await NestFactory.create<NestExpressApplication>(ThingsModule, adapter, { logger: false });
  (app.getHttpAdapter().getInstance() as Express).set('etag', false);
  app.disable('x-powered-by');
  app.useBodyParser('json');
  if (adapter instanceof LeanExpressAdapter) app.use(adapter.shortcut);
  await app.listen(0, '127.0.0.1');
  return app;
}

async function ask(app: NestExpressApplication, method: string, path: string, init: RequestInit = {}) {
  const { port } = app.getHttpServer().address() as AddressInfo;
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, { method, ...init });
  const headers = [...answer.headers].filter(([name]) => name !== 'date');
  return { status: answer.status, headers, body: await answer.text() };
}

describe('LeanExpressAdapter', () => {
  let lean: NestExpressApplication;
  let usual: NestExpressApplication;
  beforeAll(async () => {
    [lean, usual] = [await start(new LeanExpressAdapter()), await start(new ExpressAdapter())];
  });
  afterAll(async () => {
    await lean.close();
    await usual.close();
  });

  const paths = ['object', 'list', 'text', 'nothing', 'empty', 'typed', 'tagged', 'own', 'fault', 'of/7'];
  const elsewhere = ['object/', 'object?a=1', 'OBJECT', 'unknown', 'o%62ject'];
  const requests = ['GET', 'HEAD', 'POST'].flatMap((method) => [...paths, ...elsewhere].map((path) => [method, path]));

  it.each(requests)('answers %s /things/%s like the usual adapter', async (method, path) => {
    expect(await ask(lean, method!, `/things/${path}`)).toEqual(await ask(usual, method!, `/things/${path}`));
  });

  it('answers a matching If-None-Match like the usual adapter', async () => {
    const init = { headers: { 'If-None-Match': '"one"', 'Cache-Control': 'max-age=60' } };
    const answer = await ask(lean, 'GET', '/things/tagged', init);
    expect(answer.status).toBe(304);
    expect(answer).toEqual(await ask(usual, 'GET', '/things/tagged', init));
  });

  it('reads bodies like the usual adapter', async () => {
    const init = { headers: { 'Content-Type': 'application/json' }, body: '{"é":[true]}' };
    const answer = await ask(lean, 'POST', '/things/echo', init);
    expect(answer).toMatchObject({ status: 201, body: '{"é":[true]}' });
    expect(answer).toEqual(await ask(usual, 'POST', '/things/echo', init));
  });

  it('gives Express requests and responses that it need not change', async () => {
    const express = lean.getHttpAdapter().getInstance() as Express;
    const seen: unknown[] = [];
    const look = (request: Request, response: Response) =>
      seen.push(Object.getPrototypeOf(request), Object.getPrototypeOf(response));
    lean.getHttpServer().prependOnceListener('request', look);
    await ask(lean, 'GET', '/things/object');
    expect(seen).toEqual([express.request, express.response]);
    expect(seen[0] === express.request && seen[1] === express.response).toBe(true);
  });
});
