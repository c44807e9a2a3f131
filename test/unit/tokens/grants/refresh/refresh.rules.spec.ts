import { describe, expect, it } from '@jest/globals';
import { judgeRefusal, type RefusedToken } from '../../../../../src/tokens/grants/refresh/refresh.rules.js';

const token: RefusedToken = { appId: 'shop', isRotated: false, revokedFor: null, admission: 'admitted' };

describe('judgeRefusal', () => {
  it('reports a token that was never issued as unknown', () => {
    expect(judgeRefusal(null, 'shop')).toBe('unknown');
  });

  it('reports the wrong app before any other error', () => {
    const worst: RefusedToken = { appId: 'bank', isRotated: true, revokedFor: 'owner', admission: 'suspended' };
    expect(judgeRefusal(worst, 'shop')).toBe('other_app');
  });

  it('reports the suspension before it checks whether the token is spent', () => {
    expect(judgeRefusal({ ...token, isRotated: true, admission: 'suspended' }, 'shop')).toBe('suspended');
  });

  it('treats a spent token as a replay', () => {
    expect(judgeRefusal({ ...token, isRotated: true }, 'shop')).toBe('replayed');
    expect(judgeRefusal({ ...token, isRotated: true, revokedFor: 'suspended' }, 'shop')).toBe('replayed');
  });

  it('treats a token that its owner revoked as a replay', () => {
    expect(judgeRefusal({ ...token, revokedFor: 'owner' }, 'shop')).toBe('replayed');
  });

  it.each(['admin', 'suspended', 'replay', 'code_reuse'] as const)(
    'reports no replay if the family was revoked for %s',
    (revokedFor) => {
      expect(judgeRefusal({ ...token, revokedFor }, 'shop')).toBe('dead');
    },
  );

  it('reports an expired token, or one of another device, as invalid', () => {
    expect(judgeRefusal(token, 'shop')).toBe('dead');
    expect(judgeRefusal({ ...token, admission: 'not_enrolled' }, 'shop')).toBe('dead');
  });
});
