import type { EntityManager } from 'typeorm';
import { Injectable } from '@nestjs/common';
import type { User } from '../../users/user.entity.js';
import { AuditService } from '../../audit/audit.service.js';
import { WHOLE_SCOPE } from '../../common/actor.js';
import type { RequestContext } from '../../common/request-context.js';
import { enrollmentSubject } from '../../enrollment/enrollments/enrollment-subject.js';
import { EnrollmentService } from '../../enrollment/memberships/enrollment.service.js';

/** The party that wanted the deletion, if it is not the actor: the account's owner, or the owner of its address. */
export type DeletedBy = 'owner' | 'address_owner' | null;

export interface Deletion {
  readonly by: DeletedBy;
  /** Ids of apps without an administrator after the deletion. */
  readonly lastAdminOf: readonly string[];
}

/** Audit entries about a deleted account: one for each membership, so that each tenant sees that its member is gone. */
@Injectable()
export class DeletionRecords {
  constructor(
    private readonly enrollment: EnrollmentService,
    private readonly audit: AuditService,
  ) {}

  /** Must be called before the account is deleted. */
  async write(tx: EntityManager, ctx: RequestContext, user: User, { by, lastAdminOf }: Deletion): Promise<void> {
    const { id: userId } = user;
    for (const { enrollment, tenantId } of await this.enrollment.listOfUser(userId, WHOLE_SCOPE, tx)) {
      const { appId, roles, status } = enrollment;
      const metadata = {
        ...{ roles, status, reason: 'user_deleted' },
        ...(lastAdminOf.includes(appId) ? { last_admin: true } : {}),
      };
      const subject = enrollmentSubject(userId, { id: appId, tenantId }, metadata);
      await this.audit.record(tx, ctx, 'enrollment.removed', subject);
    }
    await this.audit.record(tx, ctx, 'user.deleted', {
      userId,
      target: { type: 'user', id: userId },
      metadata: { email: user.email, is_platform_admin: user.isPlatformAdmin, ...(by ? { by } : {}) },
    });
  }
}
