import { Injectable } from '@nestjs/common';
import { MembershipsService } from '../../admin/users/memberships/memberships.service.js';
import { CallerAuthorities } from '../../auth/access/caller-authorities.service.js';
import { Refusal } from '../../common/refusal.js';
import type { MembershipActionName } from '../../enrollment/enrollments/membership-actions.js';
import type { RequestKey } from '../../enrollment/requests/request-cursor.js';
import type { ConsoleRequest } from '../frame/requests/console-request.js';

/** A member for whom the action was refused, and the reason. */
export interface RefusedMember {
  readonly key: RequestKey;
  readonly refusal: Refusal;
}

export interface BulkChangeResult {
  readonly refused: readonly RefusedMember[];
  /** Number of members who got no e-mail about the change, because a limit was reached. */
  readonly unmailed: number;
}

/** One action on several memberships, through the service of the admin API, with one transaction for each. */
@Injectable()
export class BulkMembershipChanges {
  constructor(
    private readonly memberships: MembershipsService,
    private readonly authorities: CallerAuthorities,
  ) {}

  /**
   * One after the other. A refusal does not stop the others. The operator must still have their authority for each: those
   * that follow are refused as well.
   */
  async run(
    { ctx }: ConsoleRequest,
    act: MembershipActionName,
    keys: readonly RequestKey[],
  ): Promise<BulkChangeResult> {
    const refused: RefusedMember[] = [];
    let unmailed = 0;
    for (const key of keys) {
      try {
        await this.authorities.checkUnchanged(ctx);
        const { emailSent } = await this.memberships.run(act, ctx, key.userId, key.appId);
        if (emailSent === false) unmailed++;
      } catch (refusal) {
        if (!(refusal instanceof Refusal) || refusal.kind === 'unavailable') throw refusal;
        refused.push({ key, refusal });
      }
    }
    return { refused, unmailed };
  }
}
