import { Injectable } from '@nestjs/common';
import type { Scope } from '../../common/actor.js';
import { writeCursor } from '../../common/lists/page-cursor.js';
import { isUuid } from '../../common/validation/fields.js';
import type { LoggedMail } from './logged-mail.entity.js';
import type { MailFilter } from './mail-log.query.js';
import { MailLogRepository } from './mail-log.repository.js';

export interface MailPage {
  readonly mails: readonly LoggedMail[];
  /** Cursor of the next page, if there is one. */
  readonly next: string | null;
}

/** Mails with their recipients and delivery states. Kept for MAIL_LOG_DAYS. */
@Injectable()
export class MailLog {
  constructor(private readonly log: MailLogRepository) {}

  /** Newest first, limited to `filter.scope`. */
  async list(filter: MailFilter): Promise<MailPage> {
    const found = await this.log.list(filter);
    const mails = found.slice(0, filter.limit);
    return { mails, next: found.length > filter.limit ? writeCursor(mails.at(-1)!) : null };
  }

  /** Null also for a mail outside the scope. */
  async find(scope: Scope, id: string): Promise<LoggedMail | null> {
    return isUuid(id) ? this.log.find(scope, id) : null;
  }
}
