import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { RequestContext } from '../../../common/request-context.js';
import { EnrollmentService } from '../../../enrollment/memberships/enrollment.service.js';
import type { MembershipAction } from '../../../enrollment/enrollments/membership-actions.js';
import { RefreshRevocation } from '../../../tokens/grants/revocation/refresh-revocation.js';
import { TenantAdminChanges } from '../../tenant-admins/tenant-admin-changes.service.js';
import { ApprovalMail, type CountedMail } from './approval-mail.service.js';
import { MemberAccess, type MemberToChange } from './member-access.service.js';

/** Effects of an action on a membership, in the same transaction: tokens, e-mail, the tenant's admins. */
@Injectable()
export class MembershipEffects {
  constructor(
    private readonly revocation: RefreshRevocation,
    private readonly news: TenantAdminChanges,
    private readonly mail: ApprovalMail,
    private readonly access: MemberAccess,
    private readonly enrollment: EnrollmentService,
  ) {}

  /**
   * Counts the e-mail of the action before the transaction begins, if the caller may act on this user. Null: it sends none.
   * @throws as {@link MemberAccess.member}, and ReauthenticationRequired
   */
  async prepare(
    action: MembershipAction,
    ctx: RequestContext,
    userId: string,
    appId: string,
  ): Promise<CountedMail | null> {
    if (!action.mail) return null;
    const { app, user } = await this.access.member(ctx, userId, appId);
    await this.enrollment.checkApproval(ctx, action, userId, app);
    return this.mail.countIfAllowed(appId, user);
  }

  /** @returns false if the user is not mailed, because a limit was reached; null if the action sends no mail */
  async apply(
    tx: EntityManager,
    ctx: RequestContext,
    { revokes, to, from }: MembershipAction,
    { app, user, governed }: MemberToChange,
    mail: CountedMail | null,
  ): Promise<boolean | null> {
    if (revokes) await this.revocation.revokeAll(tx, user.id, app.id, revokes);
    const emailSent = mail && (await this.mail.sendCounted(tx, mail, user));
    // A denied request was never an admin, so it is no removal.
    const isRemoval = to === null && from === null;
    if (governed && isRemoval) await this.news.removed(tx, ctx, { tenant: governed, console: app, userId: user.id });
    return emailSent;
  }
}
