import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { appBrand } from '../../../apps/app-brand.js';
import type { MailOrigin } from '../../../enrollment/account-mails.js';
import { MailService } from '../../../mail/mail.service.js';
import type { MadePerson } from './example-history.rules.js';

const OF_EACH_KIND = 6;

/** Mails of the example, into the mailbox: notices only, because a link would lead nowhere. */
@Injectable()
export class ExampleMails {
  constructor(private readonly mails: MailService) {}

  async send(
    tx: EntityManager,
    people: readonly MadePerson[],
    origins: ReadonlyMap<string, MailOrigin>,
  ): Promise<void> {
    const receivers = people.filter(({ signIns }) => signIns.length > 0).slice(0, 3 * OF_EACH_KIND);
    for (const [index, { id: userId, email: to, memberships, signIns }] of receivers.entries()) {
      const origin = origins.get(memberships[0]!.bundleId)!;
      const last = signIns.at(-1)!;
      const facts = { when: last.at.toUTCString(), ip: last.ip };
      const subject = { userId, app: origin.app };
      const frame = { to, brand: appBrand(origin), replyTo: origin.tenant.supportEmail, holdsFor: null };
      if (index % 3 === 0)
        await this.mails.send(tx, { ...frame, template: 'approved', model: { link: null } }, subject, null);
      else if (index % 3 === 1)
        await this.mails.send(tx, { ...frame, template: 'password-changed', model: facts }, subject, null);
      else {
        const model = { ...facts, browser: 'Firefox on Windows' };
        await this.mails.send(tx, { ...frame, template: 'new-sign-in', model }, subject, null);
      }
    }
  }
}
