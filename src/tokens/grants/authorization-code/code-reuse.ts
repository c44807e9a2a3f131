import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { RegisteredClient } from '../../../apps/directory/app-directory.js';
import { AuditService } from '../../../audit/audit.service.js';
import type { RequestContext } from '../../../common/request-context.js';
import { TokenMetrics } from '../../statistics/token-metrics.js';
import { RefreshRevocation } from '../revocation/refresh-revocation.js';
import { AuthorizationCodesRepository } from './authorization-codes.repository.js';

/** Reacts to a code that is used a second time: revokes what the first use issued. */
@Injectable()
export class CodeReuse {
  constructor(
    private readonly codes: AuthorizationCodesRepository,
    private readonly revocation: RefreshRevocation,
    private readonly audit: AuditService,
    private readonly metrics: TokenMetrics,
  ) {}

  async react(tx: EntityManager, ctx: RequestContext, { app }: RegisteredClient, codeHash: Buffer): Promise<void> {
    const usedCode = await this.codes.findSpent(tx, codeHash, app.id);
    if (!usedCode) return;
    this.metrics.replayed('authorization_code');
    // As for refresh tokens, a replay that ended nothing is not recorded.
    if (!(await this.revocation.revokeStolen(tx, usedCode))) return;
    await this.audit.record(tx, ctx, 'token.replay_detected', {
      userId: usedCode.userId,
      tenantId: app.tenantId,
      appId: app.id,
      outcome: 'failure',
      metadata: { kind: 'authorization_code', families_revoked: 1 },
    });
  }
}
