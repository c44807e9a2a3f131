import { describe, expect, it } from '@jest/globals';
import {
  judgeClient,
  judgeLogout,
  judgeTarget,
  logoutQuery,
  readParameters,
  type SentParameters,
} from '../../../../src/auth/logout/logout-request.rules.js';

const APP = '0b5f8f5e-3a54-4b5c-9b6e-0e8c7c0d4b11';
const NOTHING: SentParameters = { idTokenHint: null, clientId: null, target: null, state: null };

describe('Parameters of a sign-out', () => {
  it('are all optional, and an empty one counts as omitted', () => {
    expect(readParameters({})).toEqual({ sent: NOTHING });
    expect(readParameters({ id_token_hint: '', state: '', unknown: ['x', 'y'] })).toEqual({ sent: NOTHING });
  });

  it('are rejected if one is repeated, an object, or too long', () => {
    for (const value of [['a', 'a'], { a: 'b' }, 7, null])
      expect(readParameters({ state: value })).toMatchObject({ fault: { parameter: 'state', problem: 'repeated' } });
    expect(readParameters({ id_token_hint: 'x'.repeat(8193) })).toMatchObject({ fault: { problem: 'too_long' } });
    expect(readParameters({ client_id: 'x'.repeat(513) })).toMatchObject({ fault: { problem: 'too_long' } });
  });

  it('are written as a query again, with repeated ones and nothing else', () => {
    expect(logoutQuery({ state: ['a', 'b'], client_id: APP, evil: 'x', id_token_hint: 7 })).toBe(
      `client_id=${APP}&state=a&state=b`,
    );
  });
});

describe('App of a sign-out request', () => {
  it.each([
    [null, null, null],
    [APP, null, APP],
    [APP.toUpperCase(), null, APP],
    [null, APP, APP],
    [APP.toUpperCase(), APP, APP],
  ])('named %s, proven %s: %s', (clientId, audience, appId) => {
    expect(judgeClient({ ...NOTHING, clientId }, audience)).toEqual({ appId });
  });

  it('is unknown if the ID token was issued to another app', () => {
    expect(judgeClient({ ...NOTHING, clientId: 'other' }, APP)).toMatchObject({
      fault: { parameter: 'client_id', problem: 'other_client' },
    });
  });
});

describe('Destination of a sign-out', () => {
  const registered = ['https://shop.example/bye?a=b'];

  it('is empty if none was requested or the app is unknown', () => {
    expect(judgeTarget(NOTHING, registered, 'https://id.example')).toEqual({ uri: null });
    expect(judgeTarget({ ...NOTHING, target: registered[0]! }, null, 'https://id.example')).toEqual({ uri: null });
  });

  it('is the registered address, with state added to its query', () => {
    expect(judgeTarget({ ...NOTHING, target: registered[0]! }, registered, 'https://id.example')).toEqual({
      uri: registered[0],
    });
    expect(judgeTarget({ ...NOTHING, target: registered[0]!, state: 'x y' }, registered, 'https://id.example')).toEqual(
      {
        uri: 'https://shop.example/bye?a=b&state=x%20y',
      },
    );
  });

  it('is an error for any other address', () => {
    expect(
      judgeTarget({ ...NOTHING, target: 'https://shop.example/bye' }, registered, 'https://id.example'),
    ).toMatchObject({
      fault: { problem: 'not_registered' },
    });
    expect(judgeTarget({ ...NOTHING, target: registered[0]! }, [], 'https://id.example')).toMatchObject({
      fault: { problem: 'not_registered' },
    });
  });
});

const ADA = { sub: 'ada', sid: 'one' };

describe('Immediate sign-out', () => {
  it.each([
    [null, null, 'nothing_to_end'],
    [null, ADA, 'nothing_to_end'],
    [ADA, ADA, 'sign_out'],
    [ADA, null, 'ask'],
    [ADA, { sub: 'bob', sid: 'one' }, 'ask'],
    [ADA, { sub: 'ada', sid: 'two' }, 'ask'],
    [ADA, { sub: 'ada' }, 'ask'],
  ] as const)('session %j, hint %j: %s', (session, hint, verdict) => {
    expect(judgeLogout(session && { userId: session.sub, sid: session.sid }, hint)).toBe(verdict);
  });
});
