import type { NotificationListener } from './notification-listener.js';

/** Channel on which the triggers of cached tables speak; the payload is `table` or, where one row says it all, `table:key`. */
export const CACHE_CHANNEL = 'cache';

interface Entry<Value> {
  readonly loading: Promise<Value>;
  /** Once it has been loaded, and nothing has changed meanwhile. */
  loaded?: { readonly value: Value };
}

/**
 * Rows kept in the process until their table changes. A trigger notifies on commit, so every path that changes the
 * table counts, in every process. While the listening connection is down nothing is taken from the cache: it can be
 * cold, never stale for longer than a notification travels.
 */
export class NotifiedCache<Value> {
  private readonly entries = new Map<string, Entry<Value>>();
  /** A load that began before a change must not be kept after it. */
  private generation = 0;

  /** @param capacity entries kept; the oldest is dropped first */
  constructor(
    private readonly listener: NotificationListener,
    private readonly tables: ReadonlySet<string>,
    private readonly load: (key: string) => Promise<Value>,
    private readonly capacity = 10_000,
  ) {
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
    if (this.entries.size > this.capacity) this.entries.delete(this.entries.keys().next().value!);
    void entry.loading.then(
      (value) => {
        if (generation === this.generation) entry.loaded = { value };
        else this.drop(key, entry);
      },
      () => this.drop(key, entry),
    );
    return entry.loading;
  }

  /** What {@link get} would answer out of memory, without waiting; undefined where it would ask. */
  known(key: string): Value | undefined {
    return this.listener.connected ? this.entries.get(key)?.loaded?.value : undefined;
  }

  forget(key: string): void {
    this.generation++;
    this.entries.delete(key);
  }

  /** Also called by the process that made the change, right after its commit: its own next request sees it. */
  clear(): void {
    this.generation++;
    this.entries.clear();
  }

  private drop(key: string, entry: Entry<Value>): void {
    if (this.entries.get(key) === entry) this.entries.delete(key);
  }
}
