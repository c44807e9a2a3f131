import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { AppDirectory } from '../../apps/app-directory.js';
import { AuditService } from '../../audit/audit.service.js';
import { MicroBatch } from '../../common/micro-batch.js';
import { Randomness } from '../../common/randomness.js';
import type { RequestContext } from '../../common/request-context.js';
import { hashOpaqueToken, newOpaqueToken } from '../../crypto/opaque-token.js';
import { Transactions } from '../../database/transactions.js';
import type { Admission } from '../../enrollment/admission.rules.js';
import { EnrollmentService } from '../../enrollment/enrollment.service.js';
import type { HeldProof } from '../../users/proof-guard.js';
import { TokenMetrics } from '../statistics/token-metrics.js';
import {
  AccountSuspended,
  EmailNotVerified,
  ForeignRefreshToken,
  InvalidRefreshToken,
} from '../protocol/tokens.errors.js';
import type { FinishedSignIn, Grant } from './grant.js';
import type { KnownFamily } from './refresh-families.repository.js';
import {
  type AliveToken,
  RefreshTokensRepository,
  type PresentedRow,
  type RotatedRow,
  type Rotation,
} from './refresh-tokens.repository.js';
import { LogoutNotices } from '../logout/logout-notices.service.js';
import { judgeRefusal } from './refresh.rules.js';

/** A family ends here however often it is refreshed. */
const FAMILY_DAYS = 90;
const BATCH_SIZE = 64;
const BATCHES_UNDER_WAY = 2;

/**
 * Rotating refresh tokens (RFC 9700 section 4.14.2): one use each, a replay ends the user's sign-ins at the app. An app
 * may say how long a second use is still taken for a client that refreshes twice at once.
 */
@Injectable()
export class RefreshTokensService {
  private readonly rotations: MicroBatch<Rotation, RotatedRow | null>;

  constructor(
    private readonly repository: RefreshTokensRepository,
    private readonly directory: AppDirectory,
    private readonly enrollment: EnrollmentService,
    private readonly transactions: Transactions,
    private readonly audit: AuditService,
    private readonly notices: LogoutNotices,
    private readonly metrics: TokenMetrics,
    private readonly randomness: Randomness,
  ) {
    this.rotations = new MicroBatch((batch) => this.rotateBatch(batch), BATCH_SIZE, BATCHES_UNDER_WAY);
  }

  /** Begins the family of a sign-in: by JSON, on the hosted pages or by a code, every first grant is made here. */
  async begin(
    tx: EntityManager,
    held: HeldProof,
    { user, roles, app, facts, nonce }: FinishedSignIn,
    familyId = this.randomness.uuid(),
  ): Promise<Grant> {
    const { token, hash } = newOpaqueToken(this.randomness);
    const days = { family: FAMILY_DAYS, token: app.config.refresh_lifetime_days };
    const signedInAt = await this.repository.begin(tx, held, familyId, facts, hash, days);
    const { authTime, amr, scope, claims, sid } = facts;
    return {
      user,
      roles,
      app: { id: app.id, tenantId: app.tenantId, tokenLifetimeMinutes: app.config.token_lifetime_minutes },
      authTime,
      familyId,
      signedInAt,
      amr,
      scope,
      claims,
      nonce,
      sid,
      refreshToken: token,
    };
  }

  /** @throws InvalidRefreshToken, ForeignRefreshToken, AccountSuspended, EmailNotVerified */
  async refresh(
    ctx: RequestContext,
    input: { refreshToken: string; appId: string; deviceId: string | null },
  ): Promise<Grant> {
    const tokenHash = hashOpaqueToken(input.refreshToken);
    const child = newOpaqueToken(this.randomness);
    const admitted = await this.admittedToConsole(tokenHash, input.appId);
    const { appId, deviceId } = input;
    const rotation = { tokenHash, childHash: child.hash, appId, deviceId, admitted };
    const row = (await this.rotations.run(rotation)) ?? (await this.branch(ctx, rotation));
    if (!row) throw await this.refuse(ctx, tokenHash, appId);
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
      claims: row.claims,
      nonce: null,
      sid: row.sid,
      refreshToken: child.token,
    };
  }

  /** A token that {@link refresh} would take from this app, which is not spent by looking at it. */
  async findAlive(refreshToken: string, appId: string): Promise<AliveToken | null> {
    const tokenHash = hashOpaqueToken(refreshToken);
    const alive = await this.repository.findAlive(tokenHash, appId);
    return alive && (alive.isMember || (await this.admittedToConsole(tokenHash, appId))) ? alive : null;
  }

  /** Revokes the whole family by any one of its tokens. */
  async revoke(ctx: RequestContext, family: KnownFamily): Promise<void> {
    await this.transactions.run(async (tx) => {
      if (!(await this.repository.revokeFamily(tx, family.id, 'owner'))) return;
      await this.audit.record(tx, ctx, 'session.revoked', await this.subject(family));
    });
  }

  /** Revokes the family of a grant whose tokens were never handed to a client. */
  async discard(refreshToken: string): Promise<void> {
    const presented = await this.repository.findPresented(hashOpaqueToken(refreshToken));
    if (!presented) return;
    await this.transactions.run((tx) => this.repository.revokeFamily(tx, presented.family_id, 'not_taken'));
  }

  /** What a code had issued, when the code comes a second time. */
  revokeFamily(tx: EntityManager, familyId: string, reason: string): Promise<boolean> {
    return this.repository.revokeFamily(tx, familyId, reason);
  }

  /** A suspension, a removal: every family of the user in the app, which is notified. */
  async revokeAll(tx: EntityManager, userId: string, appId: string, reason: string): Promise<void> {
    await this.repository.revokeAll(tx, userId, appId, null, reason);
    await this.notices.enqueueForApp(tx, userId, appId);
  }

  /**
   * A client that refreshes twice at once (two tabs, a server without a lock), at an app that allows for it: the second
   * request gets a child of its own, and the audit log says so. Null: the token is dead, or it is a replay.
   */
  private async branch(ctx: RequestContext, rotation: Rotation): Promise<RotatedRow | null> {
    const known = await this.directory.find(rotation.appId);
    if (!known || (known.app.config.refresh_grace_seconds ?? 0) === 0) return null;
    return this.transactions.run(async (tx) => {
      const row = await this.repository.branch(tx, rotation);
      if (!row) return null;
      const family = { id: row.family_id, userId: row.user_id, appId: rotation.appId };
      await this.audit.record(tx, ctx, 'token.reused', {
        ...(await this.subject(family)),
        metadata: { kind: 'refresh_token', grace_seconds: known.app.config.refresh_grace_seconds },
      });
      return row;
    });
  }

  private async rotateBatch(batch: readonly Rotation[]): Promise<(RotatedRow | null)[]> {
    const rows = await this.repository.rotate(batch);
    const byIndex = new Map(rows.map((row) => [row.n, row]));
    return batch.map((_, index) => byIndex.get(index) ?? null);
  }

  /** Console apps admit by authority, which the rotation does not know: asked beforehand, there only. */
  private async admittedToConsole(tokenHash: Buffer, appId: string): Promise<boolean> {
    const known = await this.directory.find(appId);
    if (!known?.app.isConsoleApp) return false;
    const presented = await this.repository.findPresented(tokenHash);
    if (!presented) return false;
    const { admission } = await this.enrollment.admit(
      { id: presented.user_id, isActive: presented.user_is_active },
      known,
    );
    return admission === 'admitted';
  }

  private async refuse(ctx: RequestContext, tokenHash: Buffer, appId: string): Promise<Error> {
    const row = await this.repository.findPresented(tokenHash);
    const refusal = judgeRefusal(
      row && { appId: row.app_id, isRotated: row.is_rotated, revokedFor: row.revoked_for, admission: admissionOf(row) },
      appId,
    );
    switch (refusal) {
      case 'other_app':
        return new ForeignRefreshToken();
      case 'suspended':
        return new AccountSuspended();
      case 'email_not_verified':
        return new EmailNotVerified();
      case 'replayed':
        await this.reactToReplay(ctx, row!);
        return new InvalidRefreshToken();
      case 'unknown':
      case 'dead':
        return new InvalidRefreshToken();
    }
  }

  /**
   * Everything of that user in that app dies; where the token was bound to a device, only that device's. What ended
   * nothing is not written down: anyone who holds one spent token could fill the log with it.
   */
  private async reactToReplay(ctx: RequestContext, row: PresentedRow): Promise<void> {
    this.metrics.replayed('refresh_token');
    const subject = await this.subject({ id: row.family_id, userId: row.user_id, appId: row.app_id });
    await this.transactions.run(async (tx) => {
      const revoked = await this.repository.revokeAll(tx, row.user_id, row.app_id, row.device_id, 'replay');
      if (revoked === 0) return;
      await this.audit.record(tx, ctx, 'token.replay_detected', {
        ...subject,
        outcome: 'failure',
        metadata: { kind: 'refresh_token', families_revoked: revoked, device_id: row.device_id },
      });
    });
  }

  private async subject({ id, userId, appId }: Pick<KnownFamily, 'id' | 'userId' | 'appId'>) {
    const known = await this.directory.find(appId);
    return { userId, appId, tenantId: known?.app.tenantId ?? null, target: { type: 'refresh_family', id } };
  }
}

function admissionOf({ status, email_missing }: PresentedRow): Admission {
  if (status === 'suspended') return 'suspended';
  if (email_missing) return 'email_not_verified';
  return status === 'active' ? 'admitted' : 'not_enrolled';
}
