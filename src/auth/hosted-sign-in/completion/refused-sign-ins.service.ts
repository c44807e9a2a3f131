import { Injectable } from '@nestjs/common';
import type { RequestContext } from '../../../common/request-context.js';
import { Transactions } from '../../../database/transactions.js';
import { AuditedDenials } from '../../access/denials/audited-denials.js';
import { EntryService } from '../../entry/entry.service.js';
import { SignInAttemptsRepository } from '../attempts/sign-in-attempts.repository.js';
import type { IdentifiedState } from './attempt-finisher.js';

/** Hosted sign-ins that are refused at their end, each with its audit entry. */
@Injectable()
export class RefusedSignIns {
  constructor(
    private readonly attempts: SignInAttemptsRepository,
    private readonly entry: EntryService,
    private readonly transactions: Transactions,
    private readonly denials: AuditedDenials,
  ) {}

  /**
   * For a user who is suspended in the app: sends the app the error once. This finishes the attempt; otherwise each
   * reload would write another audit entry, which cannot be deleted.
   * @returns false if another request has finished the attempt
   */
  turnAway(ctx: RequestContext, { attempt, client, user }: IdentifiedState): Promise<boolean> {
    return this.transactions.run(async (tx) => {
      if (!(await this.attempts.finish(tx, attempt))) return false;
      await this.entry.recordRefusal(tx, ctx, user, client, 'suspended');
      return true;
    });
  }

  /** The account has changed since the first factor, so the user must sign in again. */
  recordOutdated(ctx: RequestContext, { user, client }: IdentifiedState): Promise<void> {
    const subject = { userId: user.id, tenantId: client.app.tenantId, appId: client.app.id };
    return this.denials.recordSignIn(ctx, subject, { reason: 'credentials_changed' });
  }
}
