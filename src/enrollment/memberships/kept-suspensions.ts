import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { App } from '../../apps/app/app.entity.js';
import { AuditService } from '../../audit/audit.service.js';
import type { RequestContext } from '../../common/request-context.js';
import { enrollmentSubject } from '../enrollments/enrollment-subject.js';
import { EnrollmentsRepository } from '../enrollments/enrollments.repository.js';

const ROLES = ['user'];

/** Suspended memberships of a deleted account that its address keeps. */
@Injectable()
export class KeptSuspensions {
  constructor(
    private readonly enrollments: EnrollmentsRepository,
    private readonly audit: AuditService,
  ) {}

  /**
   * Suspends a new account in these apps. It gets only the role `user`: other roles were given to the user of the
   * deleted account.
   */
  async add(
    tx: EntityManager,
    ctx: RequestContext,
    userId: string,
    apps: readonly Pick<App, 'id' | 'tenantId'>[],
  ): Promise<void> {
    for (const app of apps) {
      const kept = { roles: ROLES, status: 'suspended' } as const;
      await this.enrollments.insert(tx, { userId, appId: app.id, ...kept });
      const subject = enrollmentSubject(userId, app, { ...kept, by: 'address_owner' });
      await this.audit.record(tx, ctx, 'enrollment.created', subject);
    }
  }
}
