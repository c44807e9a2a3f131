import { describe, expect, it } from '@jest/globals';
import { type Actor, NO_AUTHORITY } from '../../../../src/common/actor.js';
import { ReauthenticationRequired, requireRecentSignIn } from '../../../../src/common/http/recent-sign-in.js';
import { systemContext } from '../../../../src/common/request-context.js';

describe('A change that the user must confirm', () => {
  const user: Actor = {
    type: 'user',
    userId: 'u',
    email: 'ada@example.com',
    audience: 'a',
    viaApp: null,
    authority: NO_AUTHORITY,
  };
  const service: Actor = { type: 'service', appId: 'a', tenantId: 't', scopes: new Set() };
  const by = (actor: Actor, signedInRecently?: boolean) => () =>
    requireRecentSignIn({
      ...systemContext('test'),
      actor,
      ...(signedInRecently === undefined ? {} : { signedInRecently }),
    });

  it('needs the recent sign-in of a user, and is refused on a route that does not ask for one', () => {
    expect(by(user, true)).not.toThrow();
    expect(by(user, false)).toThrow(ReauthenticationRequired);
    expect(by(user)).toThrow(ReauthenticationRequired);
  });

  it('needs none of an app’s server and of the service itself, which have no sign-in', () => {
    expect(by(service)).not.toThrow();
    expect(by({ type: 'system', name: 'scheduled-changes' })).not.toThrow();
  });
});
