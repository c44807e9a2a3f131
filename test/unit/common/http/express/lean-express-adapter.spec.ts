import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Body, Controller, Get, Header, HttpCode, Module, NotFoundException, Param, Post, Res } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { ExpressAdapter, type NestExpressApplication } from '@nestjs/platform-express';
import type { Express, Request, RequestHandler, Response } from 'express';
import type { AddressInfo } from 'node:net';
import { DirectRoutes } from '../../../../../src/common/http/express/direct-routes.js';
import { LeanExpressAdapter } from '../../../../../src/common/http/express/lean-express-adapter.js';

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

async function start(adapter: ExpressAdapter, middleware?: RequestHandler): Promise<NestExpressApplication> {
  const app = await NestFactory.create<NestExpressApplication>(ThingsModule, adapter, { logger: false });
  (app.getHttpAdapter().getInstance() as Express).set('etag', false);
  app.disable('x-powered-by');
  if (middleware) app.use(middleware);
  app.useBodyParser('json', { strict: false });
  app.useBodyParser('urlencoded', { extended: false });
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

describe('DirectRoutes', () => {
  const passed: string[] = [];
  let app: NestExpressApplication;

  beforeAll(async () => {
    const middleware: RequestHandler = (request, response, next) => {
      if (request.headers['x-test'] !== undefined) passed.push(String(request.headers['x-test']));
      response.setHeader('X-Every-Answer', 'yes');
      next();
    };
    const adapter = new LeanExpressAdapter();
    adapter.whenRouted((find, failed) => {
      const reply = adapter.reply.bind(adapter);
      const quick = (body: unknown) => {
        if (JSON.stringify(body) === '["broken"]') throw new Error('broken');
        return JSON.stringify(body) === '["quick"]' ? { quick: true } : null;
      };
      const quickAnswers = new Map([['/things/echo', quick]]);
      const direct = new DirectRoutes([find('POST', '/things/echo')], [middleware], failed, reply, quickAnswers);
      adapter.answerEarly((request, response) => {
        const route = direct.find(request);
        if (route) direct.answer(request, response, route, 'request-1');
        return route !== null;
      });
    });
    app = await start(adapter, middleware);
  });
  afterAll(() => app.close());

  const json = { 'Content-Type': 'application/json' };
  const form = { 'Content-Type': 'application/x-www-form-urlencoded' };
  const send = (headers: Record<string, string>, body: string) => ask(app, 'POST', '/things/echo', { headers, body });

  it.each([
    ['JSON', json, '{"é":[true]}'],
    ['JSON with a byte order mark', json, '\ufeff{"a":1}'],
    ['a form', form, 'a=1&b=two+words&c=%C3%A9'],
    ['a form with a list and an odd name', form, 'a=1&a=2&b[]=3&c[d]=4&=5&e&__proto__=6'],
    ['a form that is badly encoded', form, 'a=%E9%zz'],
  ])('read %s like the parsers of Express, without middleware', async (name, headers, body) => {
    passed.length = 0;
    const direct = await send({ ...headers, 'X-Test': name.replace(/\W/g, '') }, body);
    expect(passed).toEqual([]);
    const ordinary = await send({ ...headers, 'X-Test': 'ordinary', Cookie: 'a=b' }, body);
    expect(passed).toEqual(['ordinary']);
    expect(direct.status).toBe(201);
    expect(direct.body).toBe(ordinary.body);
    const named = direct.headers.filter(([header]) => header !== 'x-request-id');
    expect(named.sort()).toEqual(ordinary.headers.sort());
    expect(direct.headers).toContainEqual(['x-every-answer', 'yes']);
  });

  it('answer without the handler where there is a quick answer, with the same headers', async () => {
    const quick = await send(json, '["quick"]');
    const handled = await send(json, '["other"]');
    expect(quick).toMatchObject({ status: 200, body: '{"quick":true}' });
    expect(quick.headers.map(([name]) => name)).toEqual(handled.headers.map(([name]) => name));
  });

  it('leave it to the handler where the quick answer fails', async () => {
    expect(await send(json, '["broken"]')).toMatchObject({ status: 201, body: '["broken"]' });
  });

  it.each([
    ['a cookie', { Cookie: 'a=b' }, '{}'],
    ['a DPoP proof', { DPoP: 'x' }, '{}'],
    ['another type', { 'Content-Type': 'text/plain' }, '{}'],
    ['a type with parameters', { 'Content-Type': 'application/json; charset=utf-8' }, '{}'],
    ['a packed body', { 'Content-Encoding': 'identity' }, '{}'],
    ['no body', {}, ''],
    ['a long body', {}, JSON.stringify({ long: 'x'.repeat(8_192) })],
  ])('leave a request with %s to Express', async (_name, headers: Record<string, string>, body) => {
    passed.length = 0;
    await send({ ...json, 'X-Test': 'seen', ...headers }, body);
    expect(passed).toEqual(['seen']);
  });

  it('know no query, no other spelling and no other method', async () => {
    passed.length = 0;
    const init = { headers: { ...json, 'X-Test': 'seen' }, body: '{}' };
    for (const path of ['/things/echo?a=1', '/things/echo/', '/things/object']) await ask(app, 'POST', path, init);
    await ask(app, 'PUT', '/things/echo', init);
    expect(passed).toEqual(Array(4).fill('seen'));
  });

  it('hand a body that is no JSON, or has too many parameters, to Nest’s error handler', async () => {
    expect(await send(json, '{"a":')).toMatchObject({ status: 500, body: expect.stringContaining('Internal') });
    expect(await send(form, Array(1_001).fill('a=1').join('&'))).toMatchObject({ status: 500 });
  });

  it('set their headers also where a handler answers in another way', async () => {
    const { headers } = await send(json, '"text"');
    expect(headers).toContainEqual(['x-every-answer', 'yes']);
    expect(headers).toContainEqual(['x-request-id', 'request-1']);
  });
});

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
