import { Injectable } from '@nestjs/common';
import { AppDirectory } from '../../../apps/directory/app-directory.js';
import { AuditService } from '../../../audit/audit.service.js';
import type { RequestContext } from '../../../common/request-context.js';
import { Transactions } from '../../../database/transactions.js';
import { familySubject } from '../token-family/family-subject.js';
import type { RotatedRow, Rotation } from './refresh-token-rows.js';
import { RefreshTokensRepository } from './refresh-tokens.repository.js';

/** A second use of a refresh token within `refresh_grace_seconds` of its app. */
@Injectable()
export class ConcurrentRefresh {
  constructor(
    private readonly repository: RefreshTokensRepository,
    private readonly directory: AppDirectory,
    private readonly transactions: Transactions,
    private readonly audit: AuditService,
  ) {}

  /**
   * For a client that refreshes twice at the same time (two tabs, a server without a lock), if its app allows it: the
   * second request gets its own successor, which the audit log records. Null: the token is invalid, or this is a
   * replay.
   */
  async branch(ctx: RequestContext, rotation: Rotation): Promise<RotatedRow | null> {
    const client = await this.directory.findOfAnyOrigin(rotation.appId);
    if (!client || (client.app.config.refresh_grace_seconds ?? 0) === 0) return null;
    return this.transactions.run(async (tx) => {
      const row = await this.repository.branch(tx, rotation);
      if (!row) return null;
      const family = { id: row.family_id, userId: row.user_id, appId: rotation.appId };
      await this.audit.record(tx, ctx, 'token.reused', {
        ...(await familySubject(this.directory, family)),
        metadata: { kind: 'refresh_token', grace_seconds: client.app.config.refresh_grace_seconds },
      });
      return row;
    });
  }
}
