import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { AccountMails, type MailOrigin } from '../../enrollment/account-mails.js';
import type { MailModels } from '../../mail/mail.js';
import { UsersService } from '../../users/users.service.js';

/** Mails that tell people of a change to how their account is entered. */
export type SecurityNotice =
  | 'password-set'
  | 'password-changed'
  | 'second-factor-changed'
  | 'second-factor-locked'
  | 'linked-account-changed'
  | 'new-sign-in'
  | 'made-admin';

/**
 * The one way to tell somebody that their account was changed, in the transaction that changes it. Only to an address
 * that has been proven: else it reaches somebody who may never have heard of us, whose address was typed by a stranger.
 */
@Injectable()
export class SecurityNotices {
  constructor(
    private readonly users: UsersService,
    private readonly mails: AccountMails,
  ) {}

  /** @param known the app where it happened; null: at the service itself */
  async send<Notice extends SecurityNotice>(
    tx: EntityManager,
    userId: string,
    template: Notice,
    model: MailModels[Notice],
    known: MailOrigin | null = null,
  ): Promise<void> {
    const user = await this.users.find(userId, tx);
    if (!user?.emailVerified) return;
    await this.mails.send(tx, user, known, { template, holdsFor: null, model }, null);
  }
}
