import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { AppDirectory } from '../../../apps/directory/app-directory.js';
import type { Effect } from '../../../auth/entry/effect.rules.js';
import { type Message, message } from '../../../common/i18n/message.js';
import { Transactions } from '../../../database/transactions.js';
import { AccountMails } from '../../../enrollment/notices/account-mails.js';
import type { MailModels } from '../../../mail/content/mail.js';
import type { Affected } from '../../../previews/effects/judged-members.js';
import type { ScheduledChange } from '../planning/scheduled-change.entity.js';
import type { NoticeMoment } from './scheduled-change-notice.entity.js';
import { type Recipient, ScheduledNoticesRepository } from './scheduled-notices.repository.js';

/** What users have to do or know before the change. Effects without an entry cause no mail. */
const WHAT: Partial<Readonly<Record<Effect, Message>>> = {
  shut_out: message('mail.scheduled_change.shut_out'),
  set_up_second_factor: message('mail.scheduled_change.set_up_second_factor'),
  other_method: message('mail.scheduled_change.other_method'),
};

const BATCH = 100;

type Template = 'scheduled-change' | 'scheduled-change-tomorrow' | 'scheduled-change-retracted';

/** Mails to users whose sign-in will change. Each batch is one transaction with the records of its mails. */
@Injectable()
export class ScheduledMails {
  constructor(
    private readonly notices: ScheduledNoticesRepository,
    private readonly mails: AccountMails,
    private readonly directory: AppDirectory,
    private readonly transactions: Transactions,
  ) {}

  /**
   * @param affected users of one app
   * @returns false if the change is no longer planned
   */
  async tell(
    change: ScheduledChange,
    moment: Exclude<NoticeMoment, 'retracted'>,
    affected: readonly Affected[],
  ): Promise<boolean> {
    const concerned = new Map(affected.flatMap((each) => (WHAT[each.effect] ? [[each.userId, each]] : [])));
    const ids = [...concerned.keys()];
    for (let from = 0; from < ids.length; from += BATCH) {
      const isPlanned = await this.transactions.run(async (tx) => {
        await this.notices.takeTurns(tx, change.tenantId);
        if (!(await this.notices.holdPlanned(tx, change.id))) return false;
        const { appId } = concerned.get(ids[from]!)!;
        const template = moment === 'reminded' ? 'scheduled-change-tomorrow' : 'scheduled-change';
        for (const to of await this.notices.take(tx, change.id, moment, appId, ids.slice(from, from + BATCH))) {
          const what = WHAT[concerned.get(to.id)!.effect]!;
          await this.send(tx, to, template, { when: whenOf(change), what });
        }
        return true;
      });
      if (!isPlanned) return false;
    }
    return true;
  }

  /**
   * Mails the next users who were notified of the change.
   * @param after the last user of the batch before
   * @returns the last user of this batch; null: there are no more
   */
  async retract(change: ScheduledChange, after: string | null): Promise<string | null> {
    return this.transactions.run(async (tx) => {
      await this.notices.takeTurns(tx, change.tenantId);
      const notified = await this.notices.listTold(tx, change.id, after, BATCH);
      for (const to of await this.notices.takeBack(tx, change.id, notified))
        await this.send(tx, to, 'scheduled-change-retracted', { when: whenOf(change) });
      return notified.length < BATCH ? null : notified.at(-1)!;
    });
  }

  private async send<T extends Template>(
    tx: EntityManager,
    { appId, ...to }: Recipient,
    template: T,
    model: MailModels[T],
  ): Promise<void> {
    const client = await this.directory.findOfAnyOrigin(appId);
    if (client) await this.mails.send(tx, to, client, { template, holdsFor: null, model }, null);
  }
}

export function whenOf({ effectiveAt }: ScheduledChange): string {
  return effectiveAt.toUTCString();
}
