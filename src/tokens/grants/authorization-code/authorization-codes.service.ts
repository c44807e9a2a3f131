import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { demandsPkce } from '../../../apps/settings/app-config.rules.js';
import type { RegisteredClient } from '../../../apps/directory/app-directory.js';
import { Randomness } from '../../../common/randomness.js';
import type { RequestContext } from '../../../common/request-context.js';
import { hashOpaqueToken, newOpaqueToken } from '../../../crypto/opaque-token.js';
import { Transactions } from '../../../database/transactions.js';
import { type HeldProof } from '../../../users/proof-guard.js';
import { InvalidCode, InvalidCodeVerifier, InvalidTarget } from '../../protocol/tokens.errors.js';
import { CodeReuse } from './code-reuse.js';
import { CodeGrants, type CodeRedemption, type CodeRedemptionOutcome, type RedeemedCode } from './code-grants.js';
import { AuthorizationCodesRepository, type NewCode } from './authorization-codes.repository.js';
import { judgeVerifier } from './pkce.rules.js';

const LIFETIME_SECONDS = 60;

/** Authorization codes: bound to app, redirect URI and challenge; one use, decided by the database. */
@Injectable()
export class AuthorizationCodesService {
  constructor(
    private readonly codes: AuthorizationCodesRepository,
    private readonly grants: CodeGrants,
    private readonly reuse: CodeReuse,
    private readonly transactions: Transactions,
    private readonly randomness: Randomness,
  ) {}

  /** Called in the transaction that completes the sign-in. @returns the code */
  async issue(tx: EntityManager, held: HeldProof, code: Omit<NewCode, 'codeHash'>): Promise<string> {
    const { token, hash } = newOpaqueToken(this.randomness);
    await this.codes.insert(tx, held, { ...code, codeHash: hash }, LIFETIME_SECONDS);
    return token;
  }

  /**
   * Every attempt by the right app uses up the code, even with a wrong verifier; a second one also revokes what the
   * first had issued.
   * @throws InvalidCode, InvalidCodeVerifier, InvalidTarget
   */
  async redeem(ctx: RequestContext, client: RegisteredClient, redemption: CodeRedemption): Promise<RedeemedCode> {
    // The refusal is thrown after the commit, so that the code remains used.
    const outcome = await this.transactions.run((tx) => this.consume(tx, ctx, client, redemption));
    if ('grant' in outcome) return outcome;
    if (outcome.refusal === 'target') throw new InvalidTarget();
    throw outcome.refusal === 'verifier' ? new InvalidCodeVerifier() : new InvalidCode();
  }

  /** Whether it was issued, also if it was used or has expired. Does not use it up. */
  async isKnown(code: string): Promise<boolean> {
    return (await this.codes.findApp(hashOpaqueToken(code))) !== null;
  }

  private async consume(
    tx: EntityManager,
    ctx: RequestContext,
    client: RegisteredClient,
    redemption: CodeRedemption,
  ): Promise<CodeRedemptionOutcome> {
    const { app } = client;
    const codeHash = hashOpaqueToken(redemption.code);
    const familyId = this.randomness.uuid();
    const code = await this.codes.consume(tx, codeHash, app.id, familyId);
    if (!code) {
      await this.reuse.react(tx, ctx, client, codeHash);
      return { refusal: 'code' };
    }
    if (demandsPkce(app.config) && code.code_challenge === null) return { refusal: 'verifier' };
    if (judgeVerifier(code.code_challenge, redemption.codeVerifier) !== 'ok') return { refusal: 'verifier' };
    // RFC 9449 section 10: a code that was requested with a key cannot be exchanged without it.
    if (code.dpop_jkt !== null && code.dpop_jkt !== redemption.jkt) return { refusal: 'code' };
    if (redemption.redirectUri !== null && redemption.redirectUri !== code.redirect_uri) return { refusal: 'code' };
    if (redemption.resource !== null && redemption.resource !== code.resource) return { refusal: 'target' };
    return this.grants.grant(tx, client, code, redemption, familyId);
  }
}
