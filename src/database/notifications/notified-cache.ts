import { BoundedMap } from '../../common/bounded-map.js';
import type { NotificationListener } from './notification-listener.js';

/** Channel for the triggers of cached tables. The payload is `table`, or `table:key` for a change of a single row. */
export const CACHE_CHANNEL = 'cache';

interface Entry<Value> {
  readonly loading: Promise<Value>;
  /** Set once the value is loaded, unless the table has changed in the meantime. */
  loaded?: { readonly value: Value };
}

/**
 * Caches rows in the process until their table changes. A trigger notifies on commit, so every change of the table
 * invalidates the cache in every process. While the listening connection is down, the cache is not used: it may be
 * empty, but never outdated for longer than a notification takes.
 */
export class NotifiedCache<Value> {
  private readonly entries: BoundedMap<string, Entry<Value>>;
  /** A value whose load began before a change must not be cached after it. */
  private generation = 0;

  /** @param capacity entries kept; the oldest is dropped first */
  constructor(
    private readonly listener: NotificationListener,
    private readonly tables: ReadonlySet<string>,
    private readonly load: (key: string) => Promise<Value>,
    capacity = 10_000,
  ) {
    this.entries = new BoundedMap(capacity);
    listener.on(CACHE_CHANNEL, (payload) => {
      const [table, key] = payload.split(':');
      if (!this.tables.has(table!)) return;
      if (key === undefined) this.clear();
      else this.forget(key);
    });
    listener.onReconnect(() => this.clear());
  }

  get(key: string): Promise<Value> {
    if (!this.listener.connected) return this.load(key);
    const known = this.entries.get(key);
    if (known) return known.loading;
    const generation = this.generation;
    const entry: Entry<Value> = { loading: this.load(key) };
    this.entries.set(key, entry);
    void entry.loading.then(
      (value) => {
        if (generation === this.generation) entry.loaded = { value };
        else this.drop(key, entry);
      },
      () => this.drop(key, entry),
    );
    return entry.loading;
  }

  /** The cached value, without waiting; undefined if {@link get} would ask the database. */
  known(key: string): Value | undefined {
    return this.listener.connected ? this.entries.get(key)?.loaded?.value : undefined;
  }

  forget(key: string): void {
    this.generation++;
    this.entries.delete(key);
  }

  /** Also called by the process that made the change, after its commit, so that its own next request sees it. */
  clear(): void {
    this.generation++;
    this.entries.clear();
  }

  private drop(key: string, entry: Entry<Value>): void {
    if (this.entries.get(key) === entry) this.entries.delete(key);
  }
}
