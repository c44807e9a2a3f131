import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { purgeExpired } from '../../../database/purge-expired.js';
import { Statements } from '../../../database/statements.js';
import { ADMITTED, isStillGood } from '../../../enrollment/admission/admission.sql.js';
import { HAS_CONSENT, hasConsentFor } from '../consent/consented.sql.js';
import type { TokenExchange } from './token-exchange.entity.js';

export type NewTokenExchange = Pick<
  TokenExchange,
  'id' | 'familyId' | 'parentId' | 'actorAppId' | 'servedResource' | 'resource' | 'scope'
> & {
  /** Expiry of the subject token in Unix seconds. */
  readonly end: number;
  /** Lifetime of tokens for the resource. */
  readonly lifetimeSeconds: number;
};

/** One exchange in the chain of a token. */
export interface ChainLink extends Record<string, unknown> {
  readonly familyId: string;
  readonly actorAppId: string;
  readonly servedResource: string | null;
  readonly resource: string;
  /** By its app, or because the user no longer allows the app of the sign-in its scopes at its resource. */
  readonly isRevoked: boolean;
}

/** Writes nothing unless the sign-in is active, and prevents its end until the transaction ends. */
const INSERT = {
  name: 'tokens.exchange',
  text: `
    WITH f AS (
      SELECT f.id FROM refresh_families f
      JOIN users u ON u.id = f.user_id
      JOIN apps a ON a.id = f.app_id
      JOIN tenants t ON t.id = a.tenant_id
      LEFT JOIN enrollments e ON e.user_id = f.user_id AND e.app_id = f.app_id
      WHERE f.id = $2 AND f.revoked_at IS NULL AND f.expires_at > now() AND NOT a.is_console_app
        AND ${ADMITTED} AND ${isStillGood('f.created_at')} AND ${HAS_CONSENT}
        AND ${hasConsentFor('$6::text', '$7::text')}
      FOR SHARE OF f)
    INSERT INTO token_exchanges (id, family_id, parent_id, actor_app_id, served_resource, resource, scope, expires_at)
    SELECT $1::uuid, f.id, $3::uuid, $4::uuid, $5, $6::text, $7::text,
      least(to_timestamp($8), now() + make_interval(secs => $9)) FROM f RETURNING id`,
};

const CHAIN = {
  name: 'tokens.exchange_chain',
  text: `
    WITH RECURSIVE chain AS (
      SELECT *, 0 AS step FROM token_exchanges WHERE id = $1
      UNION ALL
      SELECT before.*, step + 1 FROM token_exchanges before JOIN chain ON before.id = chain.parent_id)
    SELECT x.family_id AS "familyId", x.actor_app_id AS "actorAppId", x.served_resource AS "servedResource", x.resource,
      x.revoked_at IS NOT NULL OR NOT ${hasConsentFor('x.resource', 'x.scope')} AS "isRevoked"
    FROM chain x JOIN refresh_families f ON f.id = x.family_id JOIN apps a ON a.id = f.app_id
    ORDER BY x.step`,
};

@Injectable()
export class TokenExchangesRepository {
  constructor(private readonly statements: Statements) {}

  /** @returns whether the sign-in is active, and the exchange was recorded */
  async insert(tx: EntityManager, exchange: NewTokenExchange): Promise<boolean> {
    const { id, familyId, parentId, actorAppId, servedResource, resource, scope, end, lifetimeSeconds } = exchange;
    const values = [id, familyId, parentId, actorAppId, servedResource, resource, scope, end, lifetimeSeconds];
    return (await this.statements.run(INSERT, values, tx)).length > 0;
  }

  /** From the exchange of a token back to the first one; empty if there is none. */
  chain(id: string): Promise<ChainLink[]> {
    return this.statements.run<ChainLink>(CHAIN, [id]);
  }

  /** @returns whether it was active */
  async revoke(tx: EntityManager, id: string): Promise<boolean> {
    const [, count] = (await tx.query(
      'UPDATE token_exchanges SET revoked_at = now() WHERE id = $1 AND revoked_at IS NULL AND expires_at > now()',
      [id],
    )) as [unknown, number];
    return count > 0;
  }

  purge(): Promise<void> {
    return purgeExpired(this.statements, 'token_exchanges');
  }
}
