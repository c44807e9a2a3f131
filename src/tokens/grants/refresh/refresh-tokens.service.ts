import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { MicroBatch } from '../../../common/concurrency/micro-batch.js';
import { Randomness } from '../../../common/randomness.js';
import type { RequestContext } from '../../../common/request-context.js';
import { hashOpaqueToken, newOpaqueToken } from '../../../crypto/opaque-token.js';
import type { HeldProof } from '../../../users/proof-guard.js';
import { DpopProofRefused } from '../../dpop/dpop.errors.js';
import { RefreshRefusals } from './refresh-refusals.js';
import { ConsoleAdmission } from './console-admission.js';
import { ConcurrentRefresh } from './concurrent-refresh.js';
import type { NewGrant, Grant } from '../issuance/grant.js';
import type { ActiveRefreshToken, RotatedRow, Rotation } from './refresh-token-rows.js';
import { RefreshTokensRepository } from './refresh-tokens.repository.js';

/** A family ends after this time, however often it is refreshed. */
const FAMILY_DAYS = 90;
const BATCH_SIZE = 64;
const BATCHES_UNDER_WAY = 2;
/** As long as the wait for a database connection. */
const MAX_WAIT_MS = 2_000;

/**
 * Rotating refresh tokens (RFC 9700 section 4.14.2): each is used once, and a replay ends the user's sign-ins at the
 * app. An app can set a period in which a second use counts as a concurrent refresh.
 */
@Injectable()
export class RefreshTokensService {
  private readonly rotations: MicroBatch<Rotation, RotatedRow | null>;

  constructor(
    private readonly repository: RefreshTokensRepository,
    private readonly consoles: ConsoleAdmission,
    private readonly concurrent: ConcurrentRefresh,
    private readonly refusals: RefreshRefusals,
    private readonly randomness: Randomness,
  ) {
    this.rotations = new MicroBatch((batch) => this.rotateBatch(batch), BATCH_SIZE, BATCHES_UNDER_WAY, MAX_WAIT_MS);
  }

  /** Begins the family of a sign-in. Every first grant calls this: by JSON, on the hosted pages, or for a code. */
  async begin(
    tx: EntityManager,
    held: HeldProof,
    { user, roles, app, facts, nonce, jkt }: NewGrant,
    familyId = this.randomness.uuid(),
  ): Promise<Grant> {
    if (app.config.dpop_bound_access_tokens && jkt === null)
      throw new DpopProofRefused({
        code: 'invalid_dpop_proof',
        message: 'Send a DPoP proof: this app requires DPoP-bound tokens',
      });
    const { token, hash } = newOpaqueToken(this.randomness);
    const days = { family: FAMILY_DAYS, token: app.config.refresh_lifetime_days };
    const signedInAt = await this.repository.begin(tx, held, familyId, facts, hash, days);
    const { authTime, amr, scope, resource, claims, sid } = facts;
    return {
      user,
      roles,
      app: { id: app.id, tenantId: app.tenantId, tokenLifetimeMinutes: app.config.token_lifetime_minutes },
      authTime,
      familyId,
      signedInAt,
      amr,
      scope,
      resource,
      claims,
      nonce,
      sid,
      refreshToken: token,
      jkt,
    };
  }

  /**
   * @param input.jkt of the client's DPoP key
   * @throws InvalidRefreshToken, ForeignRefreshToken, AccountSuspended, EmailNotVerified
   */
  async refresh(
    ctx: RequestContext,
    input: { refreshToken: string; appId: string; deviceId: string | null; jkt: string | null },
  ): Promise<Grant> {
    const tokenHash = hashOpaqueToken(input.refreshToken);
    const child = newOpaqueToken(this.randomness);
    const admitted = await this.consoles.admits(tokenHash, input.appId);
    const { appId, deviceId, jkt } = input;
    const rotation = { tokenHash, childHash: child.hash, appId, deviceId, admitted, jkt };
    const row = (await this.rotations.run(rotation)) ?? (await this.reuse(ctx, rotation));
    return {
      user: {
        id: row.user_id,
        email: row.email,
        emailVerified: row.email_verified,
        displayName: row.display_name,
        updatedAt: row.user_updated_at,
      },
      roles: row.roles,
      app: { id: input.appId, tenantId: row.tenant_id, tokenLifetimeMinutes: row.token_lifetime_minutes },
      authTime: row.auth_time,
      familyId: row.family_id,
      signedInAt: row.signed_in_at,
      amr: row.amr,
      scope: row.scope,
      resource: row.resource,
      claims: row.claims,
      nonce: null,
      sid: row.sid,
      refreshToken: child.token,
      jkt,
    };
  }

  /** A token that {@link refresh} would accept from this app. Does not use it up. */
  async findAlive(refreshToken: string, appId: string): Promise<ActiveRefreshToken | null> {
    const tokenHash = hashOpaqueToken(refreshToken);
    const alive = await this.repository.findAlive(tokenHash, appId);
    return alive && (alive.isMember || (await this.consoles.admits(tokenHash, appId))) ? alive : null;
  }

  /**
   * For a token that the rotation did not accept. Only one that was used can get another successor: an unknown text costs
   * a look-up, and no transaction.
   */
  private async reuse(ctx: RequestContext, rotation: Rotation): Promise<RotatedRow> {
    const presented = await this.repository.findPresented(rotation.tokenHash);
    const exhausted = () => this.refusals.refuseExhausted();
    const row = presented?.is_rotated
      ? await this.concurrent.branch(ctx, rotation, presented.user_id, exhausted)
      : null;
    if (!row) throw await this.refusals.refuse(ctx, presented, rotation.appId);
    return row;
  }

  private async rotateBatch(batch: readonly Rotation[]): Promise<(RotatedRow | null)[]> {
    const rows = await this.repository.rotate(batch);
    const byIndex = new Map(rows.map((row) => [row.n, row]));
    return batch.map((_, index) => byIndex.get(index) ?? null);
  }
}
