import { Injectable } from '@nestjs/common';
import { AppDirectory } from '../../../apps/directory/app-directory.js';
import { AuditService } from '../../../audit/audit.service.js';
import type { RequestContext } from '../../../common/request-context.js';
import { Transactions } from '../../../database/transactions.js';
import { userKey } from '../../../rate-limits/counters/counter-keys.rules.js';
import { RateLimitsService } from '../../../rate-limits/rate-limits.service.js';
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
    private readonly limits: RateLimitsService,
  ) {}

  /**
   * For a client that refreshes twice at the same time (two tabs, a server without a lock), if its app allows it: the
   * second request gets its own successor. Null: the token is invalid, or this is a replay.
   *
   * The audit log records it up to the limit `token_reuses`, which refuses no request: otherwise a client that has a
   * token could fill the log, whose entries cannot be deleted. Only entries count, so that a refused request does not
   * hide a later one; requests at the same time may exceed the limit.
   * @param userId of the token
   * @param refusal of a token that has had all its successors. It undoes the statement, which may have bound the sign-in
   * to the key of the request
   */
  async branch(
    ctx: RequestContext,
    rotation: Rotation,
    userId: string,
    refusal: () => Error,
  ): Promise<RotatedRow | null> {
    const client = await this.directory.findOfAnyOrigin(rotation.appId);
    if (!client || (client.app.config.refresh_grace_seconds ?? 0) === 0) return null;
    const counter = userKey(userId, client.app.id);
    const { allowed: isRecorded } = await this.limits.peek('token_reuses', counter);
    const successor = await this.transactions.run(async (tx) => {
      const row = await this.repository.branch(tx, rotation);
      if (row?.is_exhausted) throw refusal();
      if (!row || !isRecorded) return row;
      const family = { id: row.family_id, userId: row.user_id, appId: rotation.appId };
      await this.audit.record(tx, ctx, 'token.reused', {
        ...(await familySubject(this.directory, family, tx)),
        metadata: { kind: 'refresh_token', grace_seconds: client.app.config.refresh_grace_seconds },
      });
      return row;
    });
    if (successor && isRecorded) await this.limits.tryConsume('token_reuses', counter);
    return successor;
  }
}
