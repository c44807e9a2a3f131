import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { MicroBatch } from '../../common/concurrency/micro-batch.js';
import { NotificationListener } from '../../database/notifications/notification-listener.js';
import { CACHE_CHANNEL } from '../../database/notifications/notified-cache.js';
import { type Statement, Statements } from '../../database/statements.js';
import { workingScopes } from '../settings/app-config.rules.js';
import type { ClientKeySet } from '../app/client-keys.rules.js';

/** Of an app with `private_key_jwt`: one of the two. */
export interface LiveKeys {
  readonly jwks: ClientKeySet | null;
  readonly jwks_uri: string | null;
}

/** What a client authenticates with, and what it may do, as committed at this moment or {@link READING_MS} before. */
export interface LiveClient {
  /** Null: a public client, which has no secret that works. */
  readonly hash: Buffer | null;
  /** What the app signs with instead; null: it authenticates with its secret. */
  readonly keys: LiveKeys | null;
  readonly tenantId: string;
  /** Those that work: see {@link workingScopes}. */
  readonly serviceScopes: readonly string[];
  /** Whether it may act as itself: the app and its tenant are both switched on, and it can keep what proves it. */
  readonly mayAct: boolean;
  /** When its secret or keys were last replaced; null: never. */
  readonly changedAt: Date | null;
}

/** The versions of the two rows that a client is made of: PostgreSQL's `xmin`, another after every change. */
interface Versions {
  readonly app: string;
  readonly tenant: string;
}

/** As read once, and good for as long as the rows have these versions. */
interface Remembered {
  readonly versions: Versions;
  readonly client: LiveClient;
  /** When the database was last asked for it, in milliseconds of `performance.now()`. */
  askedAtMs: number;
}

interface Row extends Record<string, unknown> {
  id: string;
  /** Null, as everything else: the app is gone. */
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

/** As `keepsNoSecret` says. */
const KEEPS_SECRET = `coalesce(a.config ->> 'client_type' NOT IN ('public', 'native'), true)`;

/** Only those that have changed: nothing comes back for a row that still has the version given, and for one that never was. */
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
/** As long as for a connection to the database. */
const LONGEST_WAIT_MS = 2_000;
const MOST_REMEMBERED = 10_000;
/** Ids that no app has. They are remembered as well, so that answers about them take as long as those about an app. */
const MOST_UNKNOWN = 1_000;
/** Asked for together with those that are due. */
const MOST_USED = 256;
/** What was read this long ago is good without another question, and a change is answered this long after its commit. */
export const READING_MS = 20;

/**
 * Read from the database for every use of a secret, a key or a service token: a regenerated secret is dead with the answer
 * that brings the new one, a scope taken away or a tenant switched off with the answer to that, and a notification to the
 * other processes may take longer. What arrives together is asked together, a row that has not changed since it was read
 * is not read again, and an answer serves all uses of the next {@link READING_MS}: one question in that time, for all that
 * are in use. Therefore a change waits that long for the readings of other processes to end, in {@link untilReadAgain}
 * (docs/decisions/0010).
 */
@Injectable()
export class LiveClients {
  private readonly lookups: MicroBatch<string, LiveClient | null>;
  private readonly remembered = new Map<string, Remembered>();
  /** When it was last asked for each, in milliseconds of `performance.now()`. */
  private readonly unknown = new Map<string, number>();
  /** Asked for since the last question: the next one asks for them as well, so that they go on being good. */
  private readonly used = new Set<string>();
  /** When a change was last heard of, in milliseconds of `performance.now()`: what was asked before is asked again. */
  private changedAtMs = -Infinity;

  constructor(
    private readonly statements: Statements,
    private readonly listener: NotificationListener,
  ) {
    this.lookups = new MicroBatch((ids) => this.load(ids), BATCH_SIZE, BATCHES_UNDER_WAY, LONGEST_WAIT_MS);
    // It may be another database, restored from a backup, whose rows have the same versions by chance.
    listener.onReconnect(() => {
      this.remembered.clear();
      this.unknown.clear();
    });
    // A change that was not made by the service is not waited for.
    listener.on(CACHE_CHANNEL, (table) => {
      if (table === 'apps' || table === 'tenants') this.changedAtMs = performance.now();
    });
  }

  /** @param appId a UUID in lower case */
  find(appId: string): Promise<LiveClient | null> {
    const known = this.remembered.get(appId);
    if (!this.isGood(known?.askedAtMs ?? this.unknown.get(appId))) return this.lookups.run(appId);
    if (this.used.size < MOST_USED) this.used.add(appId);
    return Promise.resolve(known?.client ?? null);
  }

  /** After the commit of a change: when this resolves, no process goes by what it read before. */
  async untilReadAgain(): Promise<void> {
    await sleep(READING_MS + 1); // a timer may be a millisecond early
  }

  private isGood(askedAtMs = -Infinity): boolean {
    return askedAtMs > this.changedAtMs && performance.now() - askedAtMs < READING_MS && this.listener.connected;
  }

  private async load(ids: readonly string[]): Promise<(LiveClient | null)[]> {
    const found = new Map([...ids, ...this.used].map((id) => [id, this.remembered.get(id)]));
    this.used.clear();
    // While nothing is heard of the database, it may be another one by now: everything is read.
    const known = this.listener.connected ? [...found.values()] : [];
    const askedAtMs = performance.now();
    const rows = await this.statements.run<Row>(CHANGED_CLIENTS, [
      [...found.keys()],
      known.map((each) => each?.versions.app),
      known.map((each) => each?.versions.tenant),
    ]);
    for (const row of rows) {
      const read = fromRow(row, askedAtMs);
      found.set(row.id, read);
      this.remember(row.id, read);
    }
    for (const [id, read] of found) {
      if (read) read.askedAtMs = askedAtMs;
      else keep(this.unknown, MOST_UNKNOWN, id, askedAtMs);
    }
    return ids.map((id) => found.get(id)?.client ?? null);
  }

  private remember(id: string, read: Remembered | undefined): void {
    if (read) keep(this.remembered, MOST_REMEMBERED, id, read);
    else this.remembered.delete(id);
  }
}

/** The newest; the oldest goes. */
function keep<Value>(map: Map<string, Value>, most: number, id: string, value: Value): void {
  map.delete(id);
  map.set(id, value);
  if (map.size > most) map.delete(map.keys().next().value!);
}

function fromRow(row: Row, askedAtMs: number): Remembered | undefined {
  if (row.app_version === null) return undefined;
  return {
    askedAtMs,
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
