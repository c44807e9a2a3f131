import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { RegisteredClient } from '../../../apps/directory/app-directory.js';
import type { RequestContext } from '../../../common/request-context.js';
import type { MembershipAction } from '../../../enrollment/enrollments/membership-actions.js';
import { RefreshRevocation } from '../../../tokens/grants/revocation/refresh-revocation.js';
import { TenantAdminChanges } from '../../tenant-admins/tenant-admin-changes.service.js';
import { ApprovalMail } from './approval-mail.service.js';
import type { MemberToChange } from './member-access.service.js';

/** Effects of an action on a membership, in the same transaction: tokens, e-mail, the tenant's admins. */
@Injectable()
export class MembershipEffects {
  constructor(
    private readonly revocation: RefreshRevocation,
    private readonly news: TenantAdminChanges,
    private readonly mail: ApprovalMail,
  ) {}

  /** Reads what the effects need before the transaction begins. */
  prepare({ mail }: MembershipAction, appId: string): Promise<RegisteredClient | null> {
    return mail ? this.mail.find(appId) : Promise.resolve(null);
  }

  /** @returns false if the user is not mailed, because a limit was reached; null if the action sends no mail */
  async apply(
    tx: EntityManager,
    ctx: RequestContext,
    { revokes, to, from }: MembershipAction,
    { app, user, governed }: MemberToChange,
    mailed: RegisteredClient | null,
  ): Promise<boolean | null> {
    if (revokes) await this.revocation.revokeAll(tx, user.id, app.id, revokes);
    const emailSent = mailed && (await this.mail.sendWithinLimits(tx, mailed, user));
    // A denied request was never an admin, so it is no removal.
    const isRemoval = to === null && from === null;
    if (governed && isRemoval) await this.news.removed(tx, ctx, { tenant: governed, console: app, userId: user.id });
    return emailSent;
  }
}
