import { BoundedMap } from '../../common/bounded-map.js';
import type { NotificationListener } from './notification-listener.js';

/** Channel for changes of users, enrollments (`people:<user id>`) and signing keys (`signing_keys`). */
export const CACHE_CHANNEL = 'cache';
/** Channel for changes of apps (`apps:<id>:<tenant id>`) and tenants (`tenants:<id>`); without ids: many rows. */
export const ROWS_CHANNEL = 'changed_rows';

/** A changed row of a table, as the triggers report it. */
export interface ChangedRow {
  readonly table: string;
  readonly id: string;
  /** Of an app only. */
  readonly tenantId: string | undefined;
}

export interface CacheSource {
  readonly channel: string;
  readonly tables: readonly string[];
}

interface CacheOptions<Value> {
  /**
   * Whether the change of a row outdates a value that has another key. By default it outdates only the value whose key
   * is the id of the row.
   */
  readonly isOutdatedBy?: (value: Value, change: ChangedRow) => boolean;
  /** Bounds the cache by bytes. */
  readonly memory?: MemoryBound<Value>;
}

export interface MemoryBound<Value> {
  readonly maxBytes: number;
  readonly bytesOf: (value: Value) => number;
  /** Above `maxBytes`, the oldest value of the owner with the most bytes is dropped, so that no owner displaces others. */
  readonly ownerOf: (value: Value) => string;
}

interface Entry<Value> {
  readonly loading: Promise<Value>;
  /** Set once the value is loaded. */
  loaded?: { readonly value: Value };
}

/** Counts values instead of bytes. */
const UNBOUNDED: MemoryBound<unknown> = { maxBytes: Infinity, bytesOf: () => 1, ownerOf: () => '' };
const MAX_ENTRIES = 10_000;
/** Keys without a row have room of their own: requests with invented ids must not displace what others need. */
const MAX_ABSENT = 1_000;

/**
 * Caches values in the process until the rows change that they were read from. A trigger notifies on commit, so every
 * change invalidates the cache in every process. While the listening connection is down, the cache is not used: it may
 * be empty, but never outdated for longer than a notification takes.
 */
export class NotifiedCache<Value> {
  /** Oldest first. */
  private readonly entries = new Map<string, Entry<Value>>();
  private readonly absent = new BoundedMap<string, Entry<Value>>(MAX_ABSENT);
  private readonly bytes: OwnedBytes<Value>;

  /** @param load null: there is no such row */
  constructor(
    private readonly listener: NotificationListener,
    { channel, tables }: CacheSource,
    private readonly load: (key: string) => Promise<Value>,
    private readonly options: CacheOptions<Value> = {},
  ) {
    this.bytes = new OwnedBytes(options.memory ?? UNBOUNDED);
    listener.on(channel, (payload) => {
      const [table, id, tenantId] = payload.split(':');
      if (!tables.includes(table!)) return;
      if (id === undefined) this.clear();
      else this.outdate({ table: table!, id, tenantId });
    });
    listener.onReconnect(() => this.clear());
  }

  get(key: string): Promise<Value> {
    if (!this.listener.connected) return this.load(key);
    const known = this.find(key);
    if (known) return known.loading;
    const entry: Entry<Value> = { loading: this.load(key) };
    this.entries.set(key, entry);
    entry.loading.then(
      (value) => this.keep(key, entry, value),
      () => this.entries.get(key) === entry && this.forget(key),
    );
    return entry.loading;
  }

  /** The cached value, without waiting; undefined if {@link get} would ask the database. */
  known(key: string): Value | undefined {
    return this.listener.connected ? this.find(key)?.loaded?.value : undefined;
  }

  /** A value that is being loaded is not cached either: it may be from before the change. */
  forget(key: string): void {
    this.bytes.remove(this.entries.get(key)?.loaded);
    this.entries.delete(key);
    this.absent.delete(key);
  }

  /** As {@link forget}, for all values. */
  clear(): void {
    this.bytes.clear();
    this.entries.clear();
    this.absent.clear();
  }

  private find(key: string): Entry<Value> | undefined {
    return this.entries.get(key) ?? this.absent.get(key);
  }

  private outdate(change: ChangedRow): void {
    this.forget(change.id);
    const { isOutdatedBy } = this.options;
    if (!isOutdatedBy) return;
    for (const [key, { loaded }] of this.entries) if (!loaded || isOutdatedBy(loaded.value, change)) this.forget(key);
  }

  private keep(key: string, entry: Entry<Value>, value: Value): void {
    if (this.entries.get(key) !== entry) return; // forgotten while it was loaded
    entry.loaded = { value };
    if (value === null) {
      this.entries.delete(key);
      this.absent.set(key, entry);
      return;
    }
    this.bytes.add(entry.loaded);
    while (this.bytes.isExceeded) this.forgetOldestOf(this.bytes.heaviestOwner());
  }

  private forgetOldestOf(owner: string): void {
    for (const [key, { loaded }] of this.entries) if (loaded && this.bytes.isOf(owner, loaded)) return this.forget(key);
  }
}

/** The bytes of all loaded values, by owner. Every value has some. */
class OwnedBytes<Value> {
  private readonly byOwner = new Map<string, number>();
  private total = 0;
  private values = 0;

  constructor(private readonly bound: MemoryBound<Value>) {}

  get isExceeded(): boolean {
    return this.total > this.bound.maxBytes || this.values > MAX_ENTRIES;
  }

  add({ value }: { readonly value: Value }): void {
    this.values++;
    this.count(value, this.bound.bytesOf(value));
  }

  remove(loaded: { readonly value: Value } | undefined): void {
    if (!loaded) return;
    this.values--;
    this.count(loaded.value, -this.bound.bytesOf(loaded.value));
  }

  clear(): void {
    this.byOwner.clear();
    this.total = 0;
    this.values = 0;
  }

  isOf(owner: string, { value }: { readonly value: Value }): boolean {
    return this.bound.ownerOf(value) === owner;
  }

  heaviestOwner(): string {
    return [...this.byOwner].reduce((heaviest, each) => (each[1] > heaviest[1] ? each : heaviest))[0];
  }

  private count(value: Value, bytes: number): void {
    const owner = this.bound.ownerOf(value);
    const left = (this.byOwner.get(owner) ?? 0) + bytes;
    if (left > 0) this.byOwner.set(owner, left);
    else this.byOwner.delete(owner);
    this.total += bytes;
  }
}
