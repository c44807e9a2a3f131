import { beforeEach, describe, expect, it } from '@jest/globals';
import type { NotificationListener } from '../../../../src/database/notifications/notification-listener.js';
import { type ChangedRow, NotifiedCache } from '../../../../src/database/notifications/notified-cache.js';

const SOURCE = { channel: 'rows', tables: ['apps', 'tenants'] };

describe('NotifiedCache', () => {
  let loads: ((value: string | null) => void)[];
  let notify: (payload: string) => void;
  let reconnect: () => void;
  const listener = {
    connected: true,
    on: (_: string, handler: (payload: string) => void) => (notify = handler),
    onReconnect: (handler: () => void) => (reconnect = handler),
  };
  let cache: NotifiedCache<string | null>;

  const begin = (options = {}) => {
    cache = new NotifiedCache<string | null>(
      listener as unknown as NotificationListener,
      SOURCE,
      () => new Promise((resolve) => loads.push(resolve)),
      options,
    );
  };
  beforeEach(() => {
    listener.connected = true;
    loads = [];
    begin();
  });

  const load = async (key: string, value: string | null) => {
    const loading = cache.get(key);
    loads.at(-1)!(value);
    await loading;
  };

  it('knows what has been loaded, also that there is nothing', async () => {
    expect(cache.known('a')).toBeUndefined();
    await load('a', 'one');
    expect([cache.known('a'), cache.known('b')]).toEqual(['one', undefined]);
    cache.forget('a');
    await load('a', null);
    expect(cache.known('a')).toBeNull();
    await cache.get('a');
    expect(loads).toHaveLength(2);
  });

  it('knows nothing before the loading is over', () => {
    void cache.get('a');
    expect(cache.known('a')).toBeUndefined();
  });

  it('does not keep what was being loaded while its row changed', async () => {
    const loading = cache.get('a');
    notify('apps:a:t');
    loads[0]!('before');
    expect(await loading).toBe('before');
    expect(cache.known('a')).toBeUndefined();
    await load('a', 'after');
    expect(cache.known('a')).toBe('after');
  });

  it.each([
    ['the row', 'apps:a:t', [undefined, 'two']],
    ['another row', 'apps:c:t', ['one', 'two']],
    ['many rows of the table', 'apps', [undefined, undefined]],
    ['another table', 'people:a', ['one', 'two']],
  ])('after a change of %s', async (_, payload, known) => {
    await load('a', 'one');
    await load('b', 'two');
    notify(payload);
    expect([cache.known('a'), cache.known('b')]).toEqual(known);
  });

  it('forgets a value that depends on another row, and what is being loaded', async () => {
    const changes: ChangedRow[] = [];
    begin({ isOutdatedBy: (value: string, change: ChangedRow) => changes.push(change) > 0 && value === 'of tenant t' });
    await load('a', 'of tenant t');
    await load('b', 'of another');
    const loading = cache.get('c');
    notify('tenants:t');
    loads.at(-1)!('unknown');
    await loading;
    expect(['a', 'b', 'c'].map((key) => cache.known(key))).toEqual([undefined, 'of another', undefined]);
    expect(changes[0]).toEqual({ table: 'tenants', id: 't', tenantId: undefined });
  });

  it('learns of a row that it had not found', async () => {
    await load('a', null);
    notify('apps:a:t');
    expect(cache.known('a')).toBeUndefined();
  });

  it('drops the oldest value of the owner with the most bytes above the maximum', async () => {
    const memory = { maxBytes: 10, bytesOf: (value: string) => value.length, ownerOf: (value: string) => value[0]! };
    begin({ memory });
    const known = (...keys: string[]) => keys.map((key) => cache.known(key));
    await load('small', 's');
    await load('a', 'large');
    await load('b', 'large');
    expect(known('small', 'a', 'b')).toEqual(['s', undefined, 'large']);
    cache.forget('b');
    await load('c', 'large');
    await load('d', 'la');
    expect(known('small', 'c', 'd')).toEqual(['s', 'large', 'la']);
    notify('apps');
    await load('e', 'large');
    await load('f', 'other');
    expect(known('e', 'f')).toEqual(['large', 'other']);
  });

  it('drops a value that is larger than the maximum itself', async () => {
    begin({ memory: { maxBytes: 10, bytesOf: (value: string) => value.length, ownerOf: () => 'all' } });
    await load('a', 'more than ten');
    expect(cache.known('a')).toBeUndefined();
  });

  it('keeps 10,000 values, however many are being loaded', async () => {
    for (let number = 0; number < 20_000; number++) void cache.get(`waiting ${number}`);
    for (let number = 0; number <= 10_000; number++) await load(`key ${number}`, 'value');
    expect([cache.known('key 0'), cache.known('key 1'), cache.known('key 10000')]).toEqual([
      undefined,
      'value',
      'value',
    ]);
  });

  it('is not emptied by keys without a row', async () => {
    await load('a', 'one');
    for (let number = 0; number < 11_000; number++) await load(`unknown ${number}`, null);
    expect(cache.known('a')).toBe('one');
    expect([cache.known('unknown 0'), cache.known('unknown 10999')]).toEqual([undefined, null]);
  });

  it('knows nothing while no notifications arrive, nor after they arrive again', async () => {
    await load('a', 'one');
    listener.connected = false;
    expect(cache.known('a')).toBeUndefined();
    reconnect();
    listener.connected = true;
    expect(cache.known('a')).toBeUndefined();
  });
});
