import { describe, expect, it } from '@jest/globals';
import { grantScopes } from '../../../../../src/tokens/grants/client-credentials/grant-scopes.rules.js';
import { InvalidScope } from '../../../../../src/tokens/protocol/tokens.errors.js';

const HELD = ['push:send', 'users:read'];

describe('grantScopes', () => {
  it('grants all scopes of the app if none is requested', () => {
    expect(grantScopes(HELD, null)).toEqual(HELD);
  });

  it('grants nothing for an empty scope', () => {
    expect(grantScopes(HELD, '')).toEqual([]);
    expect(grantScopes(HELD, '   ')).toEqual([]);
  });

  it('grants the requested scopes, once, in their order', () => {
    expect(grantScopes(HELD, 'users:read  push:send users:read')).toEqual(['users:read', 'push:send']);
  });

  it.each([
    ['an unknown one', 'push:send admin:all', 'invalid_scope: admin:all'],
    ['a known one that the app lacks', 'apps:write', 'invalid_scope: apps:write'],
    ['other capitals', 'Push:send', 'invalid_scope: Push:send'],
    ['a list with commas', 'push:send,users:read', 'invalid_scope: push:send,users:read'],
  ])('rejects the whole request for %s, and names it', (_, asked, detail) => {
    expect(() => grantScopes(HELD, asked)).toThrow(new InvalidScope(detail.slice('invalid_scope: '.length)));
  });

  it('rejects a scope that the app has but the service does not know', () => {
    expect(() => grantScopes(['root'], 'root')).toThrow(InvalidScope);
  });
});
