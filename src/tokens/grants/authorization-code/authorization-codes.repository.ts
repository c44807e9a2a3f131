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
  readonly dpopJkt?: string | null;
}

export interface ConsumedCode extends Record<string, unknown> {
  readonly user_id: string;
  /** The version of the account that the code was made under. */
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
 * The database decides who comes first, by its own clock; the family that this use may begin is stored with it.
 * A code from before what ended the user’s sessions (a new password) is dead as well: to spend it takes the
 * proof that it was issued under, and the account has another version since.
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

@Injectable()
export class AuthorizationCodesRepository {
  constructor(private readonly statements: Statements) {}

  async insert(tx: EntityManager, held: HeldProof, code: NewCode, seconds: number): Promise<void> {
    const { codeHash, appId, redirectUri, codeChallenge, deviceId, scope, nonce, authTime, amr, sid, claims } = code;
    const dpopJkt = code.dpopJkt ?? null;
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
        dpopJkt,
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

  /** A used code is kept for a day, so that its second use is still recognised. */
  purge(): Promise<void> {
    return purgeExpired(this.statements, 'authorization_codes');
  }
}
