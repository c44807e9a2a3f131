import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { App } from '../../apps/app/app.entity.js';
import type { RequestContext } from '../../common/request-context.js';
import { LastAppAdmin } from '../enrollments/enrollment.errors.js';
import { EnrollmentService } from './enrollment.service.js';
import { EnrollmentsRepository } from '../enrollments/enrollments.repository.js';
import { LEAVE } from '../enrollments/membership-actions.js';

/** Users who leave an app on their own. */
@Injectable()
export class OwnMemberships {
  constructor(
    private readonly enrollments: EnrollmentsRepository,
    private readonly enrollment: EnrollmentService,
  ) {}

  /**
   * Ends the actor's own active membership. The caller must revoke the refresh tokens.
   * @throws LastAppAdmin, EnrollmentNotFound, ForbiddenTransition if the user is suspended or waits for approval
   */
  async leave(tx: EntityManager, ctx: RequestContext, userId: string, app: App): Promise<void> {
    const admins = await this.enrollments.lockAdmins(tx, app.id);
    if (admins.length === 1 && admins[0] === userId) throw new LastAppAdmin();
    await this.enrollment.act(tx, ctx, LEAVE, userId, app);
  }
}
