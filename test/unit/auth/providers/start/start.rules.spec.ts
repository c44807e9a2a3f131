import { describe, expect, it } from '@jest/globals';
import { readHints, readPostedName, reasonOf } from '../../../../../src/auth/providers/start/start.rules.js';
import { HOSTILE_TEXTS } from '../../../../support/hostile-values.js';

describe('readHints', () => {
  it.each(['none', 'login', 'consent', 'select_account', 'consent select_account'])('accepts prompt=%s', (prompt) => {
    expect(readHints({ prompt })).toEqual({ loginHint: null, prompt });
  });

  it.each(['all', 'None', 'none login', 'login login', 'login,consent', 'consent\nselect_account'])(
    'rejects prompt=%j',
    (prompt) => {
      expect(readHints({ prompt })).toEqual({ fault: 'prompt' });
    },
  );

  it('accepts a hint of one line', () => {
    expect(readHints({ login_hint: 'ada@example.com' })).toEqual({ loginHint: 'ada@example.com', prompt: null });
    expect(readHints({ login_hint: 'a\r\nSet-Cookie: b' })).toEqual({ fault: 'login_hint' });
    expect(readHints({ login_hint: 'x'.repeat(321) })).toEqual({ fault: 'login_hint' });
  });

  it('returns nothing without parameters', () => {
    for (const raw of [{}, { prompt: '', login_hint: '' }])
      expect(readHints(raw)).toEqual({ loginHint: null, prompt: null });
  });
});

describe('reasonOf', () => {
  it('returns one of three reasons for every error', () => {
    expect(reasonOf('access_denied')).toBe('access_denied');
    expect(reasonOf('user_cancelled_authorize')).toBe('access_denied');
    expect(reasonOf('interaction_required')).toBe('login_required');
    for (const text of HOSTILE_TEXTS) expect(reasonOf(text)).toBe('provider_error');
  });
});

describe('readPostedName', () => {
  it('reads the name that Apple sends once', () => {
    expect(readPostedName('{"name":{"firstName":"Grace","lastName":"Hopper"}}')).toBe('Grace Hopper');
    expect(readPostedName('{"name":{"firstName":"Grace"}}')).toBe('Grace');
  });

  it.each([undefined, 7, '', '{', 'null', '[]', '{"name":7}', '{"name":{"firstName":{"a":1}}}', 'x'.repeat(5000)])(
    'reads no name from %j',
    (user) => {
      expect(readPostedName(user)).toBeNull();
    },
  );
});
