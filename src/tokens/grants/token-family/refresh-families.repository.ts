import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { isUuid } from '../../../common/validation/fields.js';
import { Statements } from '../../../database/statements.js';
import type { AccessClaims } from '../../jwt/token-use.js';
import type { RequestedClaims } from '../../protocol/requested-claims.rules.js';
import { HAS_CONSENT } from '../consent/consented.sql.js';

/** A sign-in at an app: what every token that came of it hangs on. */
export interface KnownFamily extends Record<string, unknown> {
  readonly id: string;
  readonly userId: string;
  readonly appId: string;
  /** Of the browser session that it came from. */
  readonly sid: string | null;
  readonly authTime: Date;
  readonly scope: string | null;
  readonly resource: string | null;
  readonly claims: RequestedClaims | null;
}

const COLUMNS = `f.id, f.user_id AS "userId", f.app_id AS "appId", f.sid, f.auth_time AS "authTime",
  f.scope, f.resource, f.claims`;

/** Of an app that asks for consent only while the consent has what the sign-in got: also where it is from before the app asked. */
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

/** Looks families up by what a client presents: the `grant_id` of an access token, or a refresh token. */
@Injectable()
export class RefreshFamiliesRepository {
  constructor(private readonly statements: Statements) {}

  async find(id: string): Promise<KnownFamily | null> {
    return (await this.statements.run<KnownFamily>(BY_ID, [id]))[0] ?? null;
  }

  /** The sign-in of an access token; null where it has ended or lacks consent since, and with it the token. */
  async findAlive({ grant_id: id }: Pick<AccessClaims, 'grant_id'>): Promise<KnownFamily | null> {
    return isUuid(id) ? ((await this.statements.run<KnownFamily>(ALIVE, [id]))[0] ?? null) : null;
  }

  /** Whether it is alive; it stays so until the transaction ends. */
  async hold(tx: EntityManager, id: string): Promise<boolean> {
    return (await this.statements.run(HOLD, [id], tx)).length > 0;
  }

  /** Of a token that is alive, spent or expired. */
  async findByToken(tokenHash: Buffer): Promise<KnownFamily | null> {
    return (await this.statements.run<KnownFamily>(BY_TOKEN, [tokenHash]))[0] ?? null;
  }
}
