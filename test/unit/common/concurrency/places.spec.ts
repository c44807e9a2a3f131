import { describe, expect, it } from '@jest/globals';
import { type Actor, NO_AUTHORITY } from '../../../../src/common/actor.js';
import { Places } from '../../../../src/common/concurrency/places.js';
import { sharesOf, waysOf } from '../../../../src/common/concurrency/shares.js';

describe('Places', () => {
  const one = (of: string) => [{ of, most: 1 }];
  const two = (of: string) => [{ of, most: 2 }];

  it('are limited in total and per share, and are freed', () => {
    const places = new Places(3);
    const [first] = [places.take(two('a')), places.take(two('a'))];
    expect(places.take(two('a'))).toBeNull();
    expect(places.take(two('b'))).not.toBeNull();
    expect(places.take(two('c'))).toBeNull();
    first!();
    expect(places.take(two('c'))).not.toBeNull();
    expect(places.take(two('b'))).toBeNull();
  });

  it('are freed once, even if they are returned repeatedly', () => {
    const places = new Places(1);
    const leave = places.take()!;
    leave();
    leave();
    expect(places.take()).not.toBeNull();
    expect(places.take()).toBeNull();
  });

  it('are waited for, shares by turns as far as they have room', async () => {
    const places = new Places(2);
    const came: string[] = [];
    const [a, b] = [places.take(one('a'))!, places.take(one('b'))!];
    const wait = async (of: string, name: string) => {
      const leave = await places.wait(one(of));
      came.push(name);
      return leave;
    };
    const others = [wait('a', 'a2'), wait('b', 'b2'), wait('a', 'a3'), wait('c', 'c')] as const;
    b();
    (await others[1])();
    (await others[3])();
    a();
    (await others[0])();
    (await others[2])();
    expect(came).toEqual(['b2', 'c', 'a2', 'a3']);
    (await places.wait(one('a')))();
  });

  it('are taken and waited for by any of several ways, the emptiest first', async () => {
    const places = new Places(9);
    const [a, b] = [places.takeAny([two('a'), two('b')])!, places.takeAny([two('a'), two('b')])!];
    expect([places.take(two('a')), places.take(two('a')), places.take(two('b'))].map(Boolean)).toEqual([
      true,
      false,
      true,
    ]);
    expect(places.takeAny([two('a'), two('b')])).toBeNull();
    const waiting = [places.wait(two('a')), places.waitForAny([two('a'), two('b')])] as const;
    b();
    (await waiting[1])();
    a();
    (await waiting[0])();
  });

  it('are no longer waited for when the signal ends that', async () => {
    const places = new Places(1);
    const leave = places.take()!;
    const gone = new AbortController();
    const waiting = places.wait(one('b'), gone.signal);
    gone.abort(new Error('Gone'));
    await expect(waiting).rejects.toThrow('Gone');
    leave();
    expect(places.take(one('a'))).not.toBeNull();
    await expect(places.wait(one('b'), gone.signal)).rejects.toThrow('Gone');
  });
});

describe('Shares of a tenant', () => {
  const user = (authority: object): Actor => ({
    type: 'user',
    userId: 'u',
    email: 'u@example.com',
    audience: 'a',
    viaApp: null,
    authority: { ...NO_AUTHORITY, ...authority },
  });
  const admin = user({ tenants: new Set(['t']) });
  const ofApp = (id: string) => user({ appsAdministered: new Set([id]) });
  const server = (appId: string): Actor => ({ type: 'service', appId, tenantId: 't', scopes: new Set() });

  it('leave one to its admins, whatever its apps, their admins and servers take', () => {
    const places = new Places(10);
    const take = (actor: Actor) => places.take(sharesOf(actor, 't', 3, null)) !== null;
    expect([take(ofApp('a')), take(ofApp('a')), take(server('a'))]).toEqual([true, false, false]);
    expect([take(server('b')), take(server('c'))]).toEqual([true, false]);
    expect([take(admin), take(admin)]).toEqual([true, false]);
    expect(places.take(sharesOf(server('d'), 'other', 3, null))).not.toBeNull();
  });

  it('are those of the app that it is about, and of the first app where it is about several', () => {
    const places = new Places(10);
    const take = (actor: Actor, about: string | null) => places.take(sharesOf(actor, 't', 4, about)) !== null;
    const both = user({ appsAdministered: new Set(['a', 'b']) });
    expect([take(ofApp('a'), 'a'), take(both, 'b')]).toEqual([true, true]);
    expect([take(both, null), take(both, 'b')]).toEqual([false, false]);
    // Of an app that is not theirs they take nothing.
    expect([take(both, 'c'), take(ofApp('c'), 'c')]).toEqual([false, true]);
  });

  it('are those of any app of the caller where it is about all of them, and no more than the caller has apps', () => {
    const places = new Places(10);
    const take = (actor: Actor, ...ids: string[]) =>
      places.takeAny(
        waysOf(
          actor,
          ids.map((appId) => ({ tenantId: `tenant of ${appId}`, appId })),
          3,
        ),
      ) !== null;
    const both = user({ appsAdministered: new Set(['a', 'b']) });
    expect([take(ofApp('a'), 'a'), take(both, 'a', 'b'), take(both, 'a', 'b')]).toEqual([true, true, false]);
  });

  it('can all be those of its admins', () => {
    const places = new Places(10);
    const take = (actor: Actor) => places.take(sharesOf(actor, 't', 3, null)) !== null;
    expect([take(admin), take(admin), take(admin), take(server('a'))]).toEqual([true, true, true, false]);
  });
});
