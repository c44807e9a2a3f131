import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { BoundedMap } from '../../common/bounded-map.js';
import { MicroBatch } from '../../common/concurrency/micro-batch.js';
import { NotificationListener } from '../../database/notifications/notification-listener.js';
import { ROWS_CHANNEL } from '../../database/notifications/notified-cache.js';
import { type Statement, Statements } from '../../database/statements.js';
import { workingScopes } from '../settings/app-config.rules.js';
import type { ClientKeySet } from '../app/client-keys.rules.js';

/** Keys of an app with `private_key_jwt`: exactly one of the two. */
export interface LiveKeys {
  readonly jwks: ClientKeySet | null;
  readonly jwks_uri: string | null;
}

/** Credentials and permissions of a client, as committed now or at most {@link READING_MS} ago. */
export interface LiveClient {
  /** Hash of the secret; null: a public client, without a working secret. */
  readonly hash: Buffer | null;
  /** Keys with which the app signs instead; null: it authenticates with its secret. */
  readonly keys: LiveKeys | null;
  readonly tenantId: string;
  /** Scopes that the app can use: see {@link workingScopes}. */
  readonly serviceScopes: readonly string[];
  /**
   * Whether the app may use client credentials: the app and its tenant are switched on, and it can keep its credentials
   * confidential.
   */
  readonly mayAct: boolean;
  /** When its secret or keys were last replaced; null: never. */
  readonly changedAt: Date | null;
}

/** Versions of the rows of the app and its tenant: PostgreSQL's `xmin`, which every change replaces. */
interface Versions {
  readonly app: string;
  readonly tenant: string;
}

/** A cached client, valid for as long as the rows have these versions. */
interface Remembered {
  readonly versions: Versions;
  readonly client: LiveClient;
  /** When the database last confirmed it, in milliseconds of `performance.now()`. */
  readAtMs: number;
}

interface Row extends Record<string, unknown> {
  id: string;
  /** Null, like all other columns: the app was deleted. */
  app_version: string | null;
  tenant_version: string;
  hash: Buffer | null;
  keys: LiveKeys | null;
  tenant_id: string;
  service_scopes: string[];
  third_party: boolean;
  may_act: boolean;
  credentials_changed_at: Date | null;
}

/** The condition of `keepsNoSecret`, negated. */
const KEEPS_SECRET = `coalesce(a.config ->> 'client_type' NOT IN ('public', 'native'), true)`;

/** Reads changed clients only: returns no row for a client that still has the given version, or that never existed. */
const CHANGED_CLIENTS: Statement = {
  name: 'apps.changed_clients',
  text: `
    SELECT asked.id, a.xmin AS app_version, t.xmin AS tenant_version,
      CASE WHEN ${KEEPS_SECRET} THEN a.client_secret_hash END AS hash, a.tenant_id, a.service_scopes, a.credentials_changed_at,
      coalesce((a.config ->> 'third_party')::boolean, false) AS third_party,
      a.is_active AND t.is_active AND ${KEEPS_SECRET} AS may_act,
      CASE WHEN a.config ->> 'token_endpoint_auth_method' = 'private_key_jwt'
        THEN jsonb_build_object('jwks', a.config -> 'jwks', 'jwks_uri', a.config -> 'jwks_uri') END AS keys
    FROM unnest($1::uuid[], $2::xid[], $3::xid[]) AS asked (id, app_version, tenant_version)
    LEFT JOIN apps a ON a.id = asked.id LEFT JOIN tenants t ON t.id = a.tenant_id
    WHERE a.xmin IS DISTINCT FROM asked.app_version OR t.xmin IS DISTINCT FROM asked.tenant_version`,
};
const BATCH_SIZE = 64;
const BATCHES_UNDER_WAY = 2;
/** As long as the wait for a database connection. */
const MAX_WAIT_MS = 2_000;
const MAX_CACHED = 10_000;
/** Unknown ids are cached as well, so that their answers take as long as those about an app. */
const MAX_CACHED_UNKNOWN = 1_000;
/** Maximum number of clients in use that are read again together with those that are due. */
const MAX_REFRESHED_EARLY = 256;
/**
 * Age up to which a cached client is used without asking the database. The answer to a change waits this long after its
 * commit.
 */
export const READING_MS = 20;

/**
 * Reads a client from the database for every use of a secret, a key or a service token. When the answer to a change (a
 * new secret, a removed scope, a tenant that is switched off) arrives, the old credentials must be invalid in every
 * process, and a notification may take longer.
 *
 * To make this cheap, lookups that arrive together share a query, unchanged rows are not read again, and a result is
 * used for {@link READING_MS}: at most one query in that time, for all clients in use. A change therefore waits that
 * long before it is answered, until the results of other processes have expired: {@link untilReadAgain}
 * (docs/decisions/0010).
 */
@Injectable()
export class LiveClients {
  private readonly lookups: MicroBatch<string, LiveClient | null>;
  private readonly remembered = new BoundedMap<string, Remembered>(MAX_CACHED);
  /** When the database was last asked for each unknown id, in milliseconds of `performance.now()`. */
  private readonly unknown = new BoundedMap<string, number>(MAX_CACHED_UNKNOWN);
  /** Clients used since the last query. The next query confirms them as well, so that they stay valid. */
  private readonly used = new Set<string>();
  /** When the last change was notified, in milliseconds of `performance.now()`. Anything read earlier is read again. */
  private changedAtMs = -Infinity;

  constructor(
    private readonly statements: Statements,
    private readonly listener: NotificationListener,
  ) {
    this.lookups = new MicroBatch((ids) => this.load(ids), BATCH_SIZE, BATCHES_UNDER_WAY, MAX_WAIT_MS);
    // After a reconnect the database may be another one, restored from a backup, whose rows have the same versions by
    // chance.
    listener.onReconnect(() => {
      this.remembered.clear();
      this.unknown.clear();
    });
    // Needed for a change outside the service, which does not wait in {@link untilReadAgain}.
    listener.on(ROWS_CHANNEL, () => {
      this.changedAtMs = performance.now();
    });
  }

  /** @param appId a UUID in lower case */
  find(appId: string): Promise<LiveClient | null> {
    const known = this.remembered.get(appId);
    if (!this.isGood(known?.readAtMs ?? this.unknown.get(appId))) return this.lookups.run(appId);
    if (this.used.size < MAX_REFRESHED_EARLY) this.used.add(appId);
    return Promise.resolve(known?.client ?? null);
  }

  /**
   * Reads the client on the connection of a transaction. Transactions that each wait for a second connection would use
   * up the pool.
   */
  async findWithin(tx: EntityManager, appId: string): Promise<LiveClient | null> {
    const [row] = await this.statements.run<Row>(CHANGED_CLIENTS, [[appId], [null], [null]], tx);
    return (row && fromRow(row, performance.now())?.client) ?? null;
  }

  /** Called after the commit of a change: when it resolves, no process uses what it read before. */
  async untilReadAgain(): Promise<void> {
    await sleep(READING_MS + 1); // a timer may fire a millisecond early
  }

  private isGood(readAtMs = -Infinity): boolean {
    return readAtMs > this.changedAtMs && performance.now() - readAtMs < READING_MS && this.listener.connected;
  }

  private async load(ids: readonly string[]): Promise<(LiveClient | null)[]> {
    const found = new Map([...ids, ...this.used].map((id) => [id, this.remembered.get(id)]));
    this.used.clear();
    // Without a connection for notifications, the database may have been replaced: read everything.
    const known = this.listener.connected ? [...found.values()] : [];
    const readAtMs = performance.now();
    const rows = await this.statements.run<Row>(CHANGED_CLIENTS, [
      [...found.keys()],
      known.map((each) => each?.versions.app),
      known.map((each) => each?.versions.tenant),
    ]);
    for (const row of rows) {
      const read = fromRow(row, readAtMs);
      found.set(row.id, read);
      this.remember(row.id, read);
    }
    for (const [id, read] of found) {
      if (read) read.readAtMs = readAtMs;
      else this.unknown.set(id, readAtMs);
    }
    return ids.map((id) => found.get(id)?.client ?? null);
  }

  private remember(id: string, read: Remembered | undefined): void {
    if (read) this.remembered.set(id, read);
    else this.remembered.delete(id);
  }
}

function fromRow(row: Row, readAtMs: number): Remembered | undefined {
  if (row.app_version === null) return undefined;
  return {
    readAtMs,
    versions: { app: row.app_version, tenant: row.tenant_version },
    client: {
      hash: row.hash,
      keys: row.keys,
      tenantId: row.tenant_id,
      serviceScopes: workingScopes(row.service_scopes, { third_party: row.third_party }),
      mayAct: row.may_act,
      changedAt: row.credentials_changed_at,
    },
  };
}
