import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { demandsPkce } from '../../apps/app-config.rules.js';
import type { KnownApp } from '../../apps/app-directory.js';
import { AuditService } from '../../audit/audit.service.js';
import { Randomness } from '../../common/randomness.js';
import type { RequestContext } from '../../common/request-context.js';
import { hashOpaqueToken, newOpaqueToken } from '../../crypto/opaque-token.js';
import { Transactions } from '../../database/transactions.js';
import { EnrollmentService } from '../../enrollment/enrollment.service.js';
import type { Proof } from '../../users/proof.js';
import { type HeldProof, ProofGuard } from '../../users/proof-guard.js';
import { ProofOutdated } from '../../users/proof-outdated.js';
import { UsersService } from '../../users/users.service.js';
import { TokenMetrics } from '../statistics/token-metrics.js';
import { InvalidCode, InvalidCodeVerifier } from '../protocol/tokens.errors.js';
import { AuthorizationCodesRepository, type ConsumedCode, type NewCode } from './authorization-codes.repository.js';
import type { Grant } from './grant.js';
import { judgeVerifier } from './pkce.rules.js';
import { RefreshTokensService } from './refresh-tokens.service.js';

const LIFETIME_SECONDS = 60;

export interface CodeRedemption {
  readonly code: string;
  readonly codeVerifier: string | null;
  /** Compared where the client sends it. */
  readonly redirectUri: string | null;
  /** Given at the exchange, for an app that gave none at sign-in. */
  readonly deviceId: string | null;
}

/** What a code was good for, and the proof that stood behind it at that moment. */
export interface RedeemedCode {
  readonly grant: Grant;
  readonly proof: Proof;
}

type Outcome = RedeemedCode | { readonly refusal: 'code' | 'verifier' };

/** One-time codes: bound to app, redirect URI and challenge; one use, decided by the database. */
@Injectable()
export class AuthorizationCodesService {
  constructor(
    private readonly codes: AuthorizationCodesRepository,
    private readonly refreshTokens: RefreshTokensService,
    private readonly users: UsersService,
    private readonly proofs: ProofGuard,
    private readonly enrollment: EnrollmentService,
    private readonly transactions: Transactions,
    private readonly audit: AuditService,
    private readonly metrics: TokenMetrics,
    private readonly randomness: Randomness,
  ) {}

  /** In the transaction that finishes the sign-in. @returns the code */
  async issue(tx: EntityManager, held: HeldProof, code: Omit<NewCode, 'codeHash'>): Promise<string> {
    const { token, hash } = newOpaqueToken(this.randomness);
    await this.codes.insert(tx, held, { ...code, codeHash: hash }, LIFETIME_SECONDS);
    return token;
  }

  /**
   * Every attempt by the right app burns the code, a wrong verifier included; a second one also revokes what the
   * first had issued.
   * @throws InvalidCode, InvalidCodeVerifier
   */
  async redeem(ctx: RequestContext, known: KnownApp, redemption: CodeRedemption): Promise<RedeemedCode> {
    // The refusal is thrown after the commit: a burnt code must stay burnt.
    const outcome = await this.transactions.run((tx) => this.consume(tx, ctx, known, redemption));
    if ('grant' in outcome) return outcome;
    throw outcome.refusal === 'verifier' ? new InvalidCodeVerifier() : new InvalidCode();
  }

  private async consume(
    tx: EntityManager,
    ctx: RequestContext,
    known: KnownApp,
    redemption: CodeRedemption,
  ): Promise<Outcome> {
    const { app } = known;
    const codeHash = hashOpaqueToken(redemption.code);
    const familyId = this.randomness.uuid();
    const code = await this.codes.consume(tx, codeHash, app.id, familyId);
    if (!code) {
      await this.reactToReuse(tx, ctx, known, codeHash);
      return { refusal: 'code' };
    }
    if (demandsPkce(app.config) && code.code_challenge === null) return { refusal: 'verifier' };
    if (judgeVerifier(code.code_challenge, redemption.codeVerifier) !== 'ok') return { refusal: 'verifier' };
    if (redemption.redirectUri !== null && redemption.redirectUri !== code.redirect_uri) return { refusal: 'code' };
    return this.grant(tx, known, code, redemption, familyId);
  }

  private async grant(
    tx: EntityManager,
    known: KnownApp,
    code: ConsumedCode,
    redemption: CodeRedemption,
    familyId: string,
  ): Promise<Outcome> {
    const { app } = known;
    const held = await this.hold(tx, code);
    const user = held && (await this.users.find(held.userId, tx));
    const entry = user && (await this.enrollment.admitHeld(tx, user, known));
    if (!held || !user || entry?.admission !== 'admitted') return { refusal: 'code' };
    const facts = {
      appId: app.id,
      deviceId: code.device_id ?? redemption.deviceId,
      scope: code.scope,
      claims: code.claims,
      authTime: code.auth_time,
      amr: code.amr,
      sid: code.sid,
    };
    const signIn = { user, roles: entry.roles, app, facts, nonce: code.nonce };
    return { grant: await this.refreshTokens.begin(tx, held, signIn, familyId), proof: held };
  }

  /** The proof behind the code, which may be a minute old. @returns null where it is no longer true */
  private async hold(tx: EntityManager, code: ConsumedCode): Promise<HeldProof | null> {
    try {
      return await this.proofs.hold(tx, { userId: code.user_id, credentialsVersion: code.credentials_version });
    } catch (error) {
      if (error instanceof ProofOutdated) return null;
      throw error;
    }
  }

  private async reactToReuse(
    tx: EntityManager,
    ctx: RequestContext,
    { app }: KnownApp,
    codeHash: Buffer,
  ): Promise<void> {
    const spent = await this.codes.findSpent(tx, codeHash, app.id);
    if (!spent) return;
    this.metrics.replayed('authorization_code');
    // As with refresh tokens: what ended nothing is not written down.
    if (!(await this.refreshTokens.revokeFamily(tx, spent.familyId, 'code_reuse'))) return;
    await this.audit.record(tx, ctx, 'token.replay_detected', {
      userId: spent.userId,
      tenantId: app.tenantId,
      appId: app.id,
      outcome: 'failure',
      metadata: { kind: 'authorization_code', families_revoked: 1 },
    });
  }
}
