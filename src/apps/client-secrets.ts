import { Injectable } from '@nestjs/common';
import { MicroBatch } from '../common/micro-batch.js';
import { type Statement, Statements } from '../database/statements.js';
import { workingScopes } from './app-config.rules.js';
import type { ClientKeySet } from './client-keys.rules.js';

/** Of an app with `private_key_jwt`: one of the two. */
export interface LiveKeys {
  readonly jwks: ClientKeySet | null;
  readonly jwks_uri: string | null;
}

/** A client's secret and what it is good for, as committed at this moment. */
export interface LiveSecret {
  /** Null: a public client, which has no secret that works. */
  readonly hash: Buffer | null;
  /** What the app signs with instead; null: it authenticates with its secret. */
  readonly keys: LiveKeys | null;
  readonly tenantId: string;
  /** Those that work: see {@link workingScopes}. */
  readonly serviceScopes: readonly string[];
  /** Whether it may act as itself: the app and its tenant are both switched on, and it can keep what proves it. */
  readonly mayAct: boolean;
}

interface Row extends Record<string, unknown> {
  id: string;
  hash: Buffer | null;
  keys: LiveKeys | null;
  tenant_id: string;
  service_scopes: string[];
  third_party: boolean;
  may_act: boolean;
}

/** As `keepsNoSecret` says. */
const KEEPS_SECRET = `coalesce(a.config ->> 'client_type' NOT IN ('public', 'native'), true)`;

const LIVE_SECRETS: Statement = {
  name: 'apps.live_secrets',
  text: `
    SELECT a.id, CASE WHEN ${KEEPS_SECRET} THEN a.client_secret_hash END AS hash, a.tenant_id, a.service_scopes,
      coalesce((a.config ->> 'third_party')::boolean, false) AS third_party,
      a.is_active AND t.is_active AND ${KEEPS_SECRET} AS may_act,
      CASE WHEN a.config ->> 'token_endpoint_auth_method' = 'private_key_jwt'
        THEN jsonb_build_object('jwks', a.config -> 'jwks', 'jwks_uri', a.config -> 'jwks_uri') END AS keys
    FROM apps a JOIN tenants t ON t.id = a.tenant_id WHERE a.id = ANY($1::uuid[])`,
};
const BATCH_SIZE = 64;
const BATCHES_UNDER_WAY = 2;
/** As long as for a connection to the database. */
const LONGEST_WAIT_MS = 2_000;

/**
 * Asked at every use of a secret, a key or a service token and never cached: a regenerated secret is dead with the answer that
 * brings the new one, a scope taken away or a tenant switched off with the answer to that, and a notification to the
 * other processes takes longer. What arrives together is asked together.
 */
@Injectable()
export class ClientSecrets {
  private readonly lookups: MicroBatch<string, LiveSecret | null>;

  constructor(private readonly statements: Statements) {
    this.lookups = new MicroBatch((ids) => this.load(ids), BATCH_SIZE, BATCHES_UNDER_WAY, LONGEST_WAIT_MS);
  }

  /** @param appId a UUID in lower case */
  find(appId: string): Promise<LiveSecret | null> {
    return this.lookups.run(appId);
  }

  private async load(ids: readonly string[]): Promise<(LiveSecret | null)[]> {
    const rows = await this.statements.run<Row>(LIVE_SECRETS, [[...new Set(ids)]]);
    const byId = new Map(
      rows.map(({ id, hash, keys, tenant_id, service_scopes, third_party, may_act }) => [
        id,
        {
          hash,
          keys,
          tenantId: tenant_id,
          serviceScopes: workingScopes(service_scopes, { third_party }),
          mayAct: may_act,
        },
      ]),
    );
    return ids.map((id) => byId.get(id) ?? null);
  }
}
