import { timingSafeEqual } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { RequestContext } from '../../common/request-context.js';
import { AccountChanges } from '../../enrollment/memberships/account-changes.js';
import { ProofGuard } from '../../users/proof-guard.js';
import { UserAlreadyExists } from '../../users/users.errors.js';
import type { AccountHolder } from '../access/account-holder.service.js';
import { SsoSessionsService } from '../session/sso-sessions.service.js';
import type { EmailChange } from './stored/email-change.entity.js';
import { EmailTaken, NoEmailChange, WrongEmailCode } from './stored/email-change.errors.js';
import { EmailChangesRepository } from './stored/email-changes.repository.js';
import { hashEmailCode, MAX_WRONG_CODES } from './email-code.rules.js';
import { NewAddress } from './new-address.service.js';

/** The second step of a change: the code proves that the user has access to the new mailbox. */
@Injectable()
export class EmailChangeConfirmation {
  constructor(
    private readonly changes: EmailChangesRepository,
    private readonly address: NewAddress,
    private readonly sessions: SsoSessionsService,
    private readonly proofs: ProofGuard,
    private readonly accounts: AccountChanges,
  ) {}

  /**
   * Ends every other session and every token; the session of this browser continues under a new cookie value.
   * @param presented value of the SSO cookie in the request
   * @returns the new value; null if the request has no session
   * @throws NoEmailChange, WrongEmailCode, EmailTaken, ProofOutdated
   */
  async confirm(holder: AccountHolder, code: string, presented: string | null): Promise<string | null> {
    const { ctx, user, session, proof } = holder;
    const verdict = await this.accounts
      .run(user.id, async (tx) => {
        const held = await this.proofs.hold(tx, proof);
        const change = await this.changes.findOpen(user.id, held.credentialsVersion, tx);
        if (!change) return 'none';
        if (!isCode(change, code)) return this.countWrong(tx, ctx, change);
        await this.address.apply(tx, ctx, user, change);
        if (!session) return { ssoToken: null };
        const { authTime, amr } = session;
        return { ssoToken: await this.sessions.renew(tx, ctx, held, { authTime, amr }, presented) };
      })
      .catch((error: unknown) => {
        throw error instanceof UserAlreadyExists ? new EmailTaken() : error;
      });
    if (verdict === 'none') throw new NoEmailChange();
    if (verdict === 'wrong') throw new WrongEmailCode();
    return verdict.ssoToken;
  }

  /**
   * Counts a wrong code. The transaction commits before the request is refused, because an attempt that is rolled back
   * would not count.
   */
  private async countWrong(tx: EntityManager, ctx: RequestContext, change: EmailChange): Promise<'wrong' | 'none'> {
    await this.address.refuse(tx, ctx, change.userId);
    if ((await this.changes.countTry(tx, change)) < MAX_WRONG_CODES) return 'wrong';
    await this.changes.cancel(tx, change.userId);
    return 'none';
  }
}

function isCode({ id, codeHash }: EmailChange, code: string): boolean {
  return timingSafeEqual(hashEmailCode(id, code), codeHash);
}
