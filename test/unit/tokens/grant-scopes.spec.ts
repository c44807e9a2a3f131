import { describe, expect, it } from '@jest/globals';
import { grantScopes } from '../../../src/tokens/grants/client-credentials.service.js';
import { InvalidScope } from '../../../src/tokens/protocol/tokens.errors.js';

const HELD = ['push:send', 'users:read'];

describe('grantScopes', () => {
  it('grants everything held where nothing is asked', () => {
    expect(grantScopes(HELD, null)).toEqual(HELD);
  });

  it('grants nothing where the empty scope is asked', () => {
    expect(grantScopes(HELD, '')).toEqual([]);
    expect(grantScopes(HELD, '   ')).toEqual([]);
  });

  it('grants what is asked, once, in the order asked', () => {
    expect(grantScopes(HELD, 'users:read  push:send users:read')).toEqual(['users:read', 'push:send']);
  });

  it.each([
    ['an unknown one', 'push:send admin:all', 'invalid_scope: admin:all'],
    ['a known one that the app lacks', 'apps:write', 'invalid_scope: apps:write'],
    ['other capitals', 'Push:send', 'invalid_scope: Push:send'],
    ['a list with commas', 'push:send,users:read', 'invalid_scope: push:send,users:read'],
  ])('refuses the whole request for %s, and names it', (_, asked, detail) => {
    expect(() => grantScopes(HELD, asked)).toThrow(new InvalidScope(detail.slice('invalid_scope: '.length)));
  });

  it('refuses a scope that the app was given but the service does not know', () => {
    expect(() => grantScopes(['root'], 'root')).toThrow(InvalidScope);
  });
});
