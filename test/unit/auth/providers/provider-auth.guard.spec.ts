import { mock } from 'node:test';
import { afterEach, describe, expect, it } from '@jest/globals';
import type { ExecutionContext } from '@nestjs/common';
import { ProviderAuthGuard } from '../../../../src/auth/providers/provider-auth.guard.js';

interface Actions {
  success(identity: object): void;
  error(error: unknown): void;
  fail(challenge: object): void;
}

type Authenticate = (this: Actions, request: { query: Record<string, string> }) => void;

/** The guard at the callback of one provider, whose strategy does as told. */
function callbackWith(authenticate: Authenticate) {
  const strategy = { authenticate, acceptsIssuer: () => true };
  const prepared = { purpose: { kind: 'sign_in' }, options: null, failure: null };
  const given = [
    { get: (name: string) => ({ name, strategy }) },
    {},
    { prepare: () => Promise.resolve(prepared) },
    { get: () => 'callback' },
  ] as unknown as ConstructorParameters<typeof ProviderAuthGuard>;
  const guard = new ProviderAuthGuard(...given);
  Object.assign(guard, { logger: { warn: () => undefined } });
  return async (code: string) => {
    const request = { method: 'GET', headers: {}, params: { provider: 'google' }, query: { code } };
    const http = { getRequest: () => request, getResponse: () => ({}) };
    const host = { switchToHttp: () => http, getHandler: () => null } as unknown as ExecutionContext;
    expect(await guard.canActivate(host)).toBe(true);
    return (request as { user?: unknown }).user;
  };
}

describe('Guard of the provider callbacks', () => {
  afterEach(() => mock.timers.reset());

  it('puts the identity into the request as its user', async () => {
    const callback = callbackWith(function ({ query }) {
      this.success({ subject: query['code'] });
    });
    expect(await callback('ada')).toEqual({ subject: 'ada' });
  });

  it('gives each of two parallel requests its own identity', async () => {
    const waiting: (() => void)[] = [];
    const callback = callbackWith(function ({ query }) {
      waiting.push(() => this.success({ subject: query['code'] }));
    });
    const both = Promise.all([callback('ada'), callback('bob')]);
    while (waiting.length < 2) await new Promise(setImmediate);
    for (const answer of waiting.reverse()) answer();
    expect(await both).toEqual([{ subject: 'ada' }, { subject: 'bob' }]);
  });

  it.each<[string, (run: Actions) => void]>([
    [
      'throws',
      () => {
        throw new Error('broken');
      },
    ],
    ['ends with an error', (run) => run.error(new Error('down'))],
    ['refuses', (run) => run.fail({ message: 'unknown state' })],
  ])('treats the provider as unavailable if its strategy %s', async (_, authenticate) => {
    const callback = callbackWith(function () {
      authenticate(this);
    });
    expect(await callback('code')).toBe('unavailable');
  });

  it('treats the provider as unavailable after ten seconds, and no earlier', async () => {
    mock.timers.enable({ apis: ['setTimeout'] });
    let outcome: unknown = 'waiting';
    void callbackWith(() => undefined)('code').then((user) => (outcome = user));
    const after = async (ms: number) => {
      for (let turn = 0; turn < 5; turn++) await new Promise(setImmediate);
      mock.timers.tick(ms);
      for (let turn = 0; turn < 5; turn++) await new Promise(setImmediate);
      return outcome;
    };
    expect(await after(9_999)).toBe('waiting');
    expect(await after(1)).toBe('unavailable');
  });
});
