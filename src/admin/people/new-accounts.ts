import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { App } from '../../apps/app.entity.js';
import { AuditService } from '../../audit/audit.service.js';
import type { RequestContext } from '../../common/request-context.js';
import type { User } from '../../users/user.entity.js';
import { UsersService } from '../../users/users.service.js';
import { NewAdminNotice } from './new-admin-notice.service.js';

/** An account that an administrator creates, with its audit entry; the other platform admins get an e-mail about a new one. */
@Injectable()
export class NewAccounts {
  constructor(
    private readonly users: UsersService,
    private readonly audit: AuditService,
    private readonly notice: NewAdminNotice,
  ) {}

  /**
   * @param app where it will be enrolled
   * @throws UserAlreadyExists
   */
  async create(
    tx: EntityManager,
    ctx: RequestContext,
    fields: Parameters<UsersService['create']>[1],
    app: App | null,
    metadata: Readonly<Record<string, unknown>>,
  ): Promise<User> {
    const user = await this.users.create(tx, fields);
    await this.audit.record(tx, ctx, 'user.created', {
      userId: user.id,
      tenantId: app?.tenantId ?? null,
      appId: app?.id ?? null,
      target: { type: 'user', id: user.id },
      metadata: { is_platform_admin: user.isPlatformAdmin, ...metadata },
    });
    if (user.isPlatformAdmin) await this.notice.send(tx, ctx, user);
    return user;
  }
}
