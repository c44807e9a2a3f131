import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { OWN_BRAND, type Brand } from '../../common/pages/brand.js';
import type { MailModels } from '../../mail/mail.js';
import { MailService } from '../../mail/mail.service.js';
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

/** In whose colours a notice comes, and who answers questions. */
export interface NoticeSender {
  readonly brand: Brand;
  readonly replyTo: string | null;
}

const OWN_SENDER: NoticeSender = { brand: OWN_BRAND, replyTo: null };

/**
 * The one way to tell somebody that their account was changed, in the transaction that changes it. Only to an address
 * that has been proven: else it reaches somebody who may never have heard of us, whose address was typed by a stranger.
 */
@Injectable()
export class SecurityNotices {
  constructor(
    private readonly users: UsersService,
    private readonly mails: MailService,
  ) {}

  async send<Notice extends SecurityNotice>(
    tx: EntityManager,
    userId: string,
    template: Notice,
    model: MailModels[Notice],
    sender: NoticeSender = OWN_SENDER,
  ): Promise<void> {
    const user = await this.users.find(userId, tx);
    if (!user?.emailVerified) return;
    await this.mails.send(tx, { template, to: user.email, ...sender, holdsFor: null, model }, null);
  }
}
