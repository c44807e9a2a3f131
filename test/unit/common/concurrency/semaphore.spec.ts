import { describe, expect, it } from '@jest/globals';
import { type Actor, NO_AUTHORITY } from '../../../../src/common/actor.js';
import { Semaphore } from '../../../../src/common/concurrency/semaphore.js';
import { limitsOf, alternativeLimitsOf } from '../../../../src/common/concurrency/caller-limits.js';

describe('Permits of a semaphore', () => {
  const one = (key: string) => [{ key, max: 1 }];
  const two = (key: string) => [{ key, max: 2 }];

  it('are limited in total and per key, and are released', () => {
    const semaphore = new Semaphore(3);
    const [first] = [semaphore.tryAcquire(two('a')), semaphore.tryAcquire(two('a'))];
    expect(semaphore.tryAcquire(two('a'))).toBeNull();
    expect(semaphore.tryAcquire(two('b'))).not.toBeNull();
    expect(semaphore.tryAcquire(two('c'))).toBeNull();
    first!();
    expect(semaphore.tryAcquire(two('c'))).not.toBeNull();
    expect(semaphore.tryAcquire(two('b'))).toBeNull();
  });

  it('are released once, even if they are released repeatedly', () => {
    const semaphore = new Semaphore(1);
    const leave = semaphore.tryAcquire()!;
    leave();
    leave();
    expect(semaphore.tryAcquire()).not.toBeNull();
    expect(semaphore.tryAcquire()).toBeNull();
  });

  it('are waited for, keys by turns as far as they have room', async () => {
    const semaphore = new Semaphore(2);
    const came: string[] = [];
    const [a, b] = [semaphore.tryAcquire(one('a'))!, semaphore.tryAcquire(one('b'))!];
    const wait = async (of: string, name: string) => {
      const leave = await semaphore.acquire(one(of));
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
    (await semaphore.acquire(one('a')))();
  });

  it('count against any of several sets of limits, the emptiest first', async () => {
    const semaphore = new Semaphore(9);
    const [a, b] = [semaphore.tryAcquireAny([two('a'), two('b')])!, semaphore.tryAcquireAny([two('a'), two('b')])!];
    expect(
      [semaphore.tryAcquire(two('a')), semaphore.tryAcquire(two('a')), semaphore.tryAcquire(two('b'))].map(Boolean),
    ).toEqual([true, false, true]);
    expect(semaphore.tryAcquireAny([two('a'), two('b')])).toBeNull();
    const waiting = [semaphore.acquire(two('a')), semaphore.acquireAny([two('a'), two('b')])] as const;
    b();
    (await waiting[1])();
    a();
    (await waiting[0])();
  });

  it('are no longer waited for when the signal ends that', async () => {
    const semaphore = new Semaphore(1);
    const leave = semaphore.tryAcquire()!;
    const gone = new AbortController();
    const waiting = semaphore.acquire(one('b'), gone.signal);
    gone.abort(new Error('Gone'));
    await expect(waiting).rejects.toThrow('Gone');
    leave();
    expect(semaphore.tryAcquire(one('a'))).not.toBeNull();
    await expect(semaphore.acquire(one('b'), gone.signal)).rejects.toThrow('Gone');
  });
});

describe('Limits of a tenant', () => {
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

  it('leave one permit to its admins, whatever its apps, their admins and servers take', () => {
    const semaphore = new Semaphore(10);
    const take = (actor: Actor) => semaphore.tryAcquire(limitsOf(actor, 't', 3, null)) !== null;
    expect([take(ofApp('a')), take(ofApp('a')), take(server('a'))]).toEqual([true, false, false]);
    expect([take(server('b')), take(server('c'))]).toEqual([true, false]);
    expect([take(admin), take(admin)]).toEqual([true, false]);
    expect(semaphore.tryAcquire(limitsOf(server('d'), 'other', 3, null))).not.toBeNull();
  });

  it('are those of the app that it is about, and of the first app where it is about several', () => {
    const semaphore = new Semaphore(10);
    const take = (actor: Actor, about: string | null) => semaphore.tryAcquire(limitsOf(actor, 't', 4, about)) !== null;
    const both = user({ appsAdministered: new Set(['a', 'b']) });
    expect([take(ofApp('a'), 'a'), take(both, 'b')]).toEqual([true, true]);
    expect([take(both, null), take(both, 'b')]).toEqual([false, false]);
    // Of an app that is not theirs they take nothing.
    expect([take(both, 'c'), take(ofApp('c'), 'c')]).toEqual([false, true]);
  });

  it('are those of any app of the caller where it is about all of them, and no more than the caller has apps', () => {
    const semaphore = new Semaphore(10);
    const take = (actor: Actor, ...ids: string[]) =>
      semaphore.tryAcquireAny(
        alternativeLimitsOf(
          actor,
          ids.map((appId) => ({ tenantId: `tenant of ${appId}`, appId })),
          3,
        ),
      ) !== null;
    const both = user({ appsAdministered: new Set(['a', 'b']) });
    expect([take(ofApp('a'), 'a'), take(both, 'a', 'b'), take(both, 'a', 'b')]).toEqual([true, true, false]);
  });

  it('can all be used up by its admins', () => {
    const semaphore = new Semaphore(10);
    const take = (actor: Actor) => semaphore.tryAcquire(limitsOf(actor, 't', 3, null)) !== null;
    expect([take(admin), take(admin), take(admin), take(server('a'))]).toEqual([true, true, true, false]);
  });
});
