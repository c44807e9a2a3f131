import { describe, expect, it } from '@jest/globals';
import { judgeRefusal, type RefusedToken } from '../../../src/tokens/grants/refresh.rules.js';

const token: RefusedToken = { appId: 'shop', isRotated: false, revokedFor: null, admission: 'admitted' };

describe('judgeRefusal', () => {
  it('knows nothing of a token that was never issued', () => {
    expect(judgeRefusal(null, 'shop')).toBe('unknown');
  });

  it('names the other app first, whatever else is wrong', () => {
    const worst: RefusedToken = { appId: 'bank', isRotated: true, revokedFor: 'owner', admission: 'suspended' };
    expect(judgeRefusal(worst, 'shop')).toBe('other_app');
  });

  it('names the suspension before it looks whether the token is spent', () => {
    expect(judgeRefusal({ ...token, isRotated: true, admission: 'suspended' }, 'shop')).toBe('suspended');
  });

  it('takes a spent token for a replay', () => {
    expect(judgeRefusal({ ...token, isRotated: true }, 'shop')).toBe('replayed');
    expect(judgeRefusal({ ...token, isRotated: true, revokedFor: 'suspended' }, 'shop')).toBe('replayed');
  });

  it('takes a token that its owner gave back for a replay', () => {
    expect(judgeRefusal({ ...token, revokedFor: 'owner' }, 'shop')).toBe('replayed');
  });

  it.each(['admin', 'suspended', 'replay', 'code_reuse'])(
    'suspects nobody when the family was revoked for %s',
    (revokedFor) => {
      expect(judgeRefusal({ ...token, revokedFor }, 'shop')).toBe('dead');
    },
  );

  it('calls an expired token, or one of another device, simply dead', () => {
    expect(judgeRefusal(token, 'shop')).toBe('dead');
    expect(judgeRefusal({ ...token, admission: 'not_enrolled' }, 'shop')).toBe('dead');
  });
});
