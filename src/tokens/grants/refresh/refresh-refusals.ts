import { Injectable } from '@nestjs/common';
import { AppDirectory } from '../../../apps/directory/app-directory.js';
import { AuditService } from '../../../audit/audit.service.js';
import type { RequestContext } from '../../../common/request-context.js';
import { Transactions } from '../../../database/transactions.js';
import type { Admission } from '../../../enrollment/admission/admission.rules.js';
import { TokenMetrics } from '../../statistics/token-metrics.js';
import {
  AccountSuspended,
  EmailNotVerified,
  ForeignRefreshToken,
  InvalidRefreshToken,
} from '../../protocol/tokens.errors.js';
import { familySubject } from '../token-family/family-subject.js';
import type { PresentedRow } from './refresh-token-rows.js';
import { RefreshTokensRepository } from './refresh-tokens.repository.js';
import { judgeRefusal } from './refresh.rules.js';
import { endPlans, holdUser } from '../token-family/stolen-sign-in.sql.js';

/** Determines why a refresh token is refused. A replay ends the user's sign-ins at the app. */
@Injectable()
export class RefreshRefusals {
  constructor(
    private readonly repository: RefreshTokensRepository,
    private readonly directory: AppDirectory,
    private readonly transactions: Transactions,
    private readonly audit: AuditService,
    private readonly metrics: TokenMetrics,
  ) {}

  /** @param row null for an unknown token */
  async refuse(ctx: RequestContext, row: PresentedRow | null, appId: string): Promise<Error> {
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

  /** For a token that has had all successors of the app's grace period: it may be the app's own, so nothing ends. */
  refuseExhausted(): Error {
    this.metrics.replayed('refresh_token');
    return new InvalidRefreshToken();
  }

  /**
   * Revokes all tokens of the user in the app, or only those of the device if the token was bound to one. Changes that
   * were scheduled with it are void in any case, because a thief may have ended the sign-in first. A replay that ended
   * nothing is not recorded: otherwise a client that has one used token could fill the log.
   */
  private async reactToReplay(ctx: RequestContext, row: PresentedRow): Promise<void> {
    this.metrics.replayed('refresh_token');
    const subject = await familySubject(this.directory, { id: row.family_id, userId: row.user_id, appId: row.app_id });
    await this.transactions.run(async (tx) => {
      await holdUser(tx, row.user_id);
      const revoked = await this.repository.revokeAll(tx, row.user_id, row.app_id, row.device_id, 'replay');
      await endPlans(tx, row.family_id);
      if (revoked === 0) return;
      await this.audit.record(tx, ctx, 'token.replay_detected', {
        ...subject,
        outcome: 'failure',
        metadata: { kind: 'refresh_token', families_revoked: revoked, device_id: row.device_id },
      });
    });
  }
}

function admissionOf({ status, email_missing }: PresentedRow): Admission {
  if (status === 'suspended') return 'suspended';
  if (email_missing) return 'email_not_verified';
  return status === 'active' ? 'admitted' : 'not_enrolled';
}
