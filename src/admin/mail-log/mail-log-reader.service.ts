import { Injectable } from '@nestjs/common';
import { cursorOf } from '../../common/http/pagination/query-cursor.js';
import type { RequestContext } from '../../common/request-context.js';
import { userScope } from '../../enrollment/users/visible-users.service.js';
import type { LoggedMail } from '../../mail/log/logged-mail.entity.js';
import type { MailSelection } from '../../mail/log/mail-log.query.js';
import { MailLog, type MailPage } from '../../mail/log/mail-log.service.js';
import { FilterAuthority } from '../filters/filter-authority.js';
import { momentOf } from '../filters/iso-time.js';
import type { MailListQuery } from './mail-log.dto.js';
import { MailNotFound } from './mail-log.errors.js';

/** Reads the mails that were sent in the name of the apps that the caller administers; platform admins see all. */
@Injectable()
export class MailLogReader {
  constructor(
    private readonly log: MailLog,
    private readonly filters: FilterAuthority,
  ) {}

  /**
   * @param to only mails to this user, or to these users or addresses
   * @throws InsufficientPermissions for a foreign tenant or app in the filter
   */
  async list(
    ctx: RequestContext,
    query: MailListQuery,
    page: { readonly limit: number; readonly page: number },
    to: Pick<MailSelection, 'user' | 'sentTo'> = {},
  ): Promise<MailPage> {
    await this.filters.check(ctx, { tenantId: query.tenant_id, appId: query.app_id });
    return this.log.list({
      scope: userScope(ctx.actor),
      tenantId: query.tenant_id,
      appId: query.app_id,
      userId: query.user_id,
      recipient: query.email,
      ...to,
      state: query.state,
      template: query.template,
      before: momentOf(query.before, 'before'),
      after: momentOf(query.after, 'after'),
      cursor: cursorOf(query.cursor),
      ...page,
    });
  }

  /** @throws MailNotFound, also for a mail outside the caller's authority */
  async get(ctx: RequestContext, id: string): Promise<LoggedMail> {
    const mail = await this.log.find(userScope(ctx.actor), id);
    if (!mail) throw new MailNotFound();
    return mail;
  }
}
