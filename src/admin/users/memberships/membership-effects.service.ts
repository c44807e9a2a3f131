import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { RegisteredClient } from '../../../apps/directory/app-directory.js';
import type { RequestContext } from '../../../common/request-context.js';
import type { MembershipAction } from '../../../enrollment/enrollments/membership-actions.js';
import { RefreshRevocation } from '../../../tokens/grants/revocation/refresh-revocation.js';
import { TenantAdminChanges } from '../../tenant-admins/tenant-admin-changes.service.js';
import { ApprovalMail } from './approval-mail.service.js';
import type { MemberToChange } from './member-access.service.js';

/** What an action on a membership brings with it, in the same transaction: tokens, the e-mail, a tenant's admins. */
@Injectable()
export class MembershipEffects {
  constructor(
    private readonly revocation: RefreshRevocation,
    private readonly news: TenantAdminChanges,
    private readonly mail: ApprovalMail,
  ) {}

  /** What is read before the transaction. */
  prepare({ mail }: MembershipAction, appId: string): Promise<RegisteredClient | null> {
    return mail ? this.mail.find(appId) : Promise.resolve(null);
  }

  async apply(
    tx: EntityManager,
    ctx: RequestContext,
    { revokes, to, from }: MembershipAction,
    { app, user, governed }: MemberToChange,
    mailed: RegisteredClient | null,
  ): Promise<void> {
    if (revokes) await this.revocation.revokeAll(tx, user.id, app.id, revokes);
    if (mailed) await this.mail.send(tx, mailed, user);
    // A request that is denied has never made an admin.
    const isRemoval = to === null && from === null;
    if (governed && isRemoval) await this.news.removed(tx, ctx, { tenant: governed, console: app, userId: user.id });
  }
}
