import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { isUuid } from '../../../common/validation/fields.js';
import { Statements } from '../../../database/statements.js';
import type { AccessClaims } from '../../jwt/token-use.js';
import type { RequestedClaims } from '../../protocol/requested-claims.rules.js';
import { HAS_CONSENT } from '../consent/consented.sql.js';

/** A sign-in at an app, on which all of its tokens depend. */
export interface KnownFamily extends Record<string, unknown> {
  readonly id: string;
  readonly userId: string;
  readonly appId: string;
  /** Id of the browser session in which it began. */
  readonly sid: string | null;
  readonly authTime: Date;
  readonly scope: string | null;
  readonly resource: string | null;
  readonly claims: RequestedClaims | null;
}

const COLUMNS = `f.id, f.user_id AS "userId", f.app_id AS "appId", f.sid, f.auth_time AS "authTime",
  f.scope, f.resource, f.claims`;

/**
 * For an app that needs consent, only while the consent contains everything that the sign-in got, even if it began
 * before consent was needed.
 */
const ALIVE = {
  name: 'tokens.alive_family',
  text: `SELECT ${COLUMNS} FROM refresh_families f JOIN apps a ON a.id = f.app_id
    WHERE f.id = $1 AND f.revoked_at IS NULL AND f.expires_at > now() AND ${HAS_CONSENT}`,
};

const BY_ID = {
  name: 'tokens.family',
  text: `SELECT ${COLUMNS} FROM refresh_families f WHERE f.id = $1`,
};

const HOLD = {
  name: 'tokens.hold_family',
  text: 'SELECT 1 FROM refresh_families WHERE id = $1 AND revoked_at IS NULL AND expires_at > now() FOR SHARE',
};

const BY_TOKEN = {
  name: 'tokens.family_of_token',
  text: `SELECT ${COLUMNS} FROM refresh_tokens r JOIN refresh_families f ON f.id = r.family_id WHERE r.token_hash = $1`,
};

/** Finds families by what a client presents: the `grant_id` of an access token, or a refresh token. */
@Injectable()
export class RefreshFamiliesRepository {
  constructor(private readonly statements: Statements) {}

  async find(id: string): Promise<KnownFamily | null> {
    return (await this.statements.run<KnownFamily>(BY_ID, [id]))[0] ?? null;
  }

  /** The sign-in of an access token; null if it has ended, or its consent was revoked, which also ends the token. */
  async findAlive({ grant_id: id }: Pick<AccessClaims, 'grant_id'>): Promise<KnownFamily | null> {
    return isUuid(id) ? ((await this.statements.run<KnownFamily>(ALIVE, [id]))[0] ?? null) : null;
  }

  /** Whether it is active, locked until the transaction ends. */
  async hold(tx: EntityManager, id: string): Promise<boolean> {
    return (await this.statements.run(HOLD, [id], tx)).length > 0;
  }

  /** For a token that is active, used or expired. */
  async findByToken(tokenHash: Buffer): Promise<KnownFamily | null> {
    return (await this.statements.run<KnownFamily>(BY_TOKEN, [tokenHash]))[0] ?? null;
  }
}
