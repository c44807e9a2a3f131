import { beforeEach, describe, expect, it } from '@jest/globals';
import type { NotificationListener } from '../../../../src/database/notifications/notification-listener.js';
import { NotifiedCache } from '../../../../src/database/notifications/notified-cache.js';

describe('NotifiedCache.known', () => {
  const listener = { connected: true, on: () => undefined, onReconnect: () => undefined };
  let loads: ((value: string | null) => void)[];
  let cache: NotifiedCache<string | null>;

  beforeEach(() => {
    listener.connected = true;
    loads = [];
    cache = new NotifiedCache<string | null>(
      listener as unknown as NotificationListener,
      new Set(['people']),
      () => new Promise((resolve) => loads.push(resolve)),
    );
  });

  const load = async (value: string | null) => {
    const loading = cache.get('a');
    loads.at(-1)!(value);
    await loading;
  };

  it('says what has been loaded, also that there is nothing', async () => {
    expect(cache.known('a')).toBeUndefined();
    await load('one');
    expect([cache.known('a'), cache.known('b')]).toEqual(['one', undefined]);
    cache.forget('a');
    await load(null);
    expect(cache.known('a')).toBeNull();
  });

  it('says nothing before the loading is over', () => {
    void cache.get('a');
    expect(cache.known('a')).toBeUndefined();
  });

  it('says nothing after a change, nor what was loaded while something changed', async () => {
    await load('one');
    cache.forget('a');
    expect(cache.known('a')).toBeUndefined();
    const loading = cache.get('a');
    cache.forget('b');
    loads.at(-1)!('two');
    await loading;
    expect(cache.known('a')).toBeUndefined();
    await load('three');
    cache.clear();
    expect(cache.known('a')).toBeUndefined();
  });

  it('says nothing while no notifications arrive', async () => {
    await load('one');
    listener.connected = false;
    expect(cache.known('a')).toBeUndefined();
  });
});
