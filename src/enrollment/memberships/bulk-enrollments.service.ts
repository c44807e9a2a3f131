import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { App } from '../../apps/app/app.entity.js';
import { AuditService } from '../../audit/audit.service.js';
import type { RequestContext } from '../../common/request-context.js';
import { AdministratorNotices } from '../notices/administrator-notices.service.js';
import { enrollmentSubject } from '../enrollments/enrollment-subject.js';
import type { EnrollmentStatus } from '../enrollments/enrollment.entity.js';
import { EnrollmentsRepository } from '../enrollments/enrollments.repository.js';
import { giverOf, givesAuthority } from '../authority/new-authority.rules.js';
import { checkedRoles } from '../authority/offered-roles.rules.js';
import { checkNotOwnWhileActing } from './own-enrollment.rules.js';

/** Enrollments per statement. */
const BATCH = 1000;

export interface BulkEnrollment {
  readonly userId: string;
  readonly roles: readonly string[];
  readonly status: EnrollmentStatus;
}

/** Enrolls many users in a new app at once. */
@Injectable()
export class BulkEnrollments {
  constructor(
    private readonly enrollments: EnrollmentsRepository,
    private readonly notices: AdministratorNotices,
    private readonly audit: AuditService,
  ) {}

  /**
   * As `EnrollmentService.enroll`, but sends no mails about pending requests, and one mail about all new
   * administrators.
   * @returns how many users were not enrolled before
   */
  async enroll(tx: EntityManager, ctx: RequestContext, app: App, users: readonly BulkEnrollment[]): Promise<number> {
    for (const { userId } of users) checkNotOwnWhileActing(ctx, userId);
    const rows = users.map((user) => ({ ...user, roles: checkedRoles(app, user.roles) }));
    const administrators: string[] = [];
    let count = 0;
    for (let start = 0; start < rows.length; start += BATCH) {
      const batch = rows.slice(start, start + BATCH);
      const created = await this.enrollments.insertAll(tx, app.id, batch);
      const fresh = batch.filter((row) => created.has(row.userId));
      await this.record(tx, ctx, app, fresh);
      for (const { userId, roles, status } of fresh)
        if (status === 'active' && givesAuthority(app, null, roles)) administrators.push(userId);
      count += fresh.length;
    }
    await this.notices.sendOfMany(tx, app, administrators, giverOf(ctx));
    return count;
  }

  private async record(
    tx: EntityManager,
    ctx: RequestContext,
    app: App,
    enrolled: readonly BulkEnrollment[],
  ): Promise<void> {
    const subjectOf = ({ userId, roles, status }: BulkEnrollment) =>
      enrollmentSubject(userId, app, { roles, ...(status === 'suspended' ? { status } : {}) });
    const pending = enrolled.filter(({ status }) => status === 'pending');
    const others = enrolled.filter(({ status }) => status !== 'pending');
    await this.audit.recordAll(tx, ctx, 'enrollment.pending', pending.map(subjectOf));
    await this.audit.recordAll(tx, ctx, 'enrollment.created', others.map(subjectOf));
  }
}
