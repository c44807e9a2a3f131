import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { RegisteredClient } from '../../../apps/directory/app-directory.js';
import { Clock } from '../../../common/clock.js';
import { message, type Text } from '../../../common/i18n/message.js';
import type { RequestContext } from '../../../common/request-context.js';
import { SecurityNotices } from '../../../enrollment/notices/security-notices.service.js';

/** How a password was set: by a reset, its owner or an administrator. */
export type PasswordSetter = 'reset' | 'owner' | 'admin';

/** Reports a new password to its owner by mail. */
@Injectable()
export class PasswordNotices {
  constructor(
    private readonly notices: SecurityNotices,
    private readonly clock: Clock,
  ) {}

  async send(
    tx: EntityManager,
    ctx: RequestContext,
    userId: string,
    { by, isFirst, client }: { by: PasswordSetter; isFirst: boolean; client: RegisteredClient | null },
  ): Promise<void> {
    const template = isFirst ? 'password-set' : 'password-changed';
    const model = { when: this.clock.now().toUTCString(), ip: whereFrom(by, ctx) };
    await this.notices.send(tx, userId, template, model, client);
  }
}

/** An administrator's address is only in the audit log. */
function whereFrom(by: PasswordSetter, ctx: RequestContext): Text {
  return by === 'admin' ? message('mail.admin_console') : (ctx.ip ?? message('mail.unknown_address'));
}
