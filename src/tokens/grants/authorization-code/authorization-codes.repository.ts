import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { purgeExpired } from '../../../database/purge-expired.js';
import { Statements } from '../../../database/statements.js';
import { issuedAt, issuedUnder } from '../../../users/issued-at.js';
import type { HeldProof } from '../../../users/proof-guard.js';
import type { RequestedClaims } from '../../protocol/requested-claims.rules.js';

export interface NewCode {
  readonly codeHash: Buffer;
  readonly appId: string;
  readonly redirectUri: string;
  readonly codeChallenge: string | null;
  readonly deviceId: string | null;
  readonly scope: string | null;
  readonly resource: string | null;
  readonly claims: RequestedClaims | null;
  readonly nonce: string | null;
  readonly authTime: Date;
  readonly amr: readonly string[];
  readonly sid: string | null;
  /** Thumbprint of the key that the code is bound to. */
  readonly dpopJkt: string | null;
}

export interface ConsumedCode extends Record<string, unknown> {
  readonly user_id: string;
  /** Version of the account's credentials when the code was issued. */
  readonly credentials_version: number;
  readonly redirect_uri: string;
  readonly code_challenge: string | null;
  readonly device_id: string | null;
  readonly scope: string | null;
  readonly resource: string | null;
  readonly claims: RequestedClaims | null;
  readonly nonce: string | null;
  readonly auth_time: Date;
  readonly amr: string[];
  readonly sid: string | null;
  readonly dpop_jkt: string | null;
}

const ISSUE = {
  name: 'tokens.issue_code',
  text: `INSERT INTO authorization_codes
      (code_hash, user_id, app_id, redirect_uri, code_challenge, device_id, scope, nonce, auth_time, amr, sid,
       claims, expires_at, created_at, credentials_version, dpop_jkt, resource)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, clock_timestamp() + make_interval(secs => $13),
      ${issuedAt('$2')}, ${issuedUnder('$2')}, $14, $15)`,
};

/**
 * The database decides which use is first, by its own clock, and stores the family that this use may create. A code
 * from before the user's sessions were ended (by a new password) is invalid as well: using it requires the proof under
 * which it was issued, and the version of the account has changed since.
 */
const CONSUME = {
  name: 'tokens.consume_code',
  text: `UPDATE authorization_codes SET used_at = now(), family_id = $3
    WHERE code_hash = $1 AND app_id = $2 AND used_at IS NULL AND expires_at > now()
    RETURNING user_id, credentials_version, redirect_uri, code_challenge, device_id, scope, resource, claims, nonce,
      auth_time, amr, sid, dpop_jkt`,
};

const SPENT = {
  name: 'tokens.spent_code',
  text: `SELECT user_id, family_id FROM authorization_codes WHERE code_hash = $1 AND app_id = $2 AND used_at IS NOT NULL`,
};

const APP = {
  name: 'tokens.app_of_code',
  text: 'SELECT app_id AS "appId" FROM authorization_codes WHERE code_hash = $1',
};

@Injectable()
export class AuthorizationCodesRepository {
  constructor(private readonly statements: Statements) {}

  async insert(tx: EntityManager, held: HeldProof, code: NewCode, seconds: number): Promise<void> {
    const { codeHash, appId, redirectUri, codeChallenge, deviceId, scope, nonce, authTime, amr, sid, claims } = code;
    await this.statements.run(
      ISSUE,
      [
        codeHash,
        held.userIn(tx),
        appId,
        redirectUri,
        codeChallenge,
        deviceId,
        scope,
        nonce,
        authTime,
        amr,
        sid,
        claims,
        seconds,
        code.dpopJkt,
        code.resource,
      ],
      tx,
    );
  }

  async consume(tx: EntityManager, codeHash: Buffer, appId: string, familyId: string): Promise<ConsumedCode | null> {
    return (await this.statements.run<ConsumedCode>(CONSUME, [codeHash, appId, familyId], tx))[0] ?? null;
  }

  async findSpent(
    tx: EntityManager,
    codeHash: Buffer,
    appId: string,
  ): Promise<{ userId: string; familyId: string } | null> {
    const [row] = await this.statements.run<{ user_id: string; family_id: string }>(SPENT, [codeHash, appId], tx);
    return row ? { userId: row.user_id, familyId: row.family_id } : null;
  }

  /** Id of the app that the code was issued to, also if it was used or has expired. */
  async findApp(codeHash: Buffer): Promise<string | null> {
    return (await this.statements.run<{ appId: string }>(APP, [codeHash]))[0]?.appId ?? null;
  }

  /** A used code is kept for a day, so that a second use is detected. */
  purge(): Promise<void> {
    return purgeExpired(this.statements, 'authorization_codes');
  }
}
