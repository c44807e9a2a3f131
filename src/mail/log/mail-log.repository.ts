import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { type EntityManager, Repository } from 'typeorm';
import type { Scope } from '../../common/actor.js';
import type { PageCursor } from '../../common/lists/page-cursor.js';
import { DeepPages, type PageStart } from '../../database/queries/deep-pages.js';
import { purgeInBatches } from '../../database/purge-in-batches.js';
import type { Query } from '../../database/queries/query.js';
import { Statements } from '../../database/statements.js';
import { LoggedMail } from './logged-mail.entity.js';
import { type MailFilter, mailCountQuery, mailMilestonesQuery, mailPageQuery, mailQuery } from './mail-log.query.js';

export type QueuedMail = Omit<LoggedMail, 'state' | 'smtpStatus' | 'createdAt' | 'endedAt'>;

/** A mail with its position in the list. */
export type ListedMail = LoggedMail & { readonly micros: string };

const INSERT = {
  name: 'mail_log_insert',
  text: `INSERT INTO mail_log (id, template, recipient, user_id, app_id, tenant_id, invite_id)
    VALUES ($1, $2, $3, $4, $5, $6, $7)`,
};
const INSERT_OVER_LIMIT = {
  name: 'mail_log_insert_over_limit',
  text: `INSERT INTO mail_log (id, template, recipient, user_id, app_id, tenant_id, invite_id, state, ended_at)
    VALUES ($1, $2, $3, $4, $5, $6, $7, 'over_limit', now())`,
};

/** Writes `mail_log`; triggers write its state. Lists are composed in `mail-log.query.ts`. */
@Injectable()
export class MailLogRepository {
  constructor(
    @InjectRepository(LoggedMail) private readonly mails: Repository<LoggedMail>,
    private readonly statements: Statements,
    private readonly deepPages: DeepPages,
  ) {}

  async insert(tx: EntityManager, mail: QueuedMail): Promise<void> {
    await this.statements.run(INSERT, valuesOf(mail), tx);
  }

  /** A mail that is not sent. */
  async insertOverLimit(tx: EntityManager, mail: QueuedMail): Promise<void> {
    await this.statements.run(INSERT_OVER_LIMIT, valuesOf(mail), tx);
  }

  /** Must run before the job fails, so that the state becomes `bounced` instead of `given_up`. */
  async markRefused(id: string, smtpStatus: number): Promise<void> {
    await this.mails.update(id, { smtpStatus });
  }

  /** Newest first; one more than `filter.limit` if there is a next page. */
  async list(filter: MailFilter): Promise<ListedMail[]> {
    return this.ask<ListedMail>(mailPageQuery(filter, await this.startOfPage(filter)));
  }

  async find(scope: Scope, id: string): Promise<LoggedMail | null> {
    return (await this.ask<LoggedMail>(mailQuery(scope, id)))[0] ?? null;
  }

  /** Deletes mails that were queued longer ago than this. */
  purge(days: number): Promise<void> {
    return purgeInBatches(this.statements, { table: 'mail_log', column: 'created_at', age: `${days} days` });
  }

  private startOfPage(filter: MailFilter): Promise<PageStart> {
    return this.deepPages.find('mail_log', filter, {
      milestones: (every) => this.ask<PageCursor>(mailMilestonesQuery(filter, every)),
      countAhead: async (cursor, most) => {
        const [found] = await this.ask<{ count: number }>(mailCountQuery(filter, most, { side: 'ahead of', cursor }));
        return found!.count;
      },
    });
  }

  private ask<Row>({ text, values }: Query): Promise<Row[]> {
    return this.mails.query<Row[]>(text, values);
  }
}

function valuesOf({ id, template, recipient, userId, appId, tenantId, inviteId }: QueuedMail): unknown[] {
  return [id, template, recipient, userId, appId, tenantId, inviteId];
}
