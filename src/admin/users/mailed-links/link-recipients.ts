import { Injectable } from '@nestjs/common';
import { AppDirectory, type RegisteredClient } from '../../../apps/directory/app-directory.js';
import type { RequestContext } from '../../../common/request-context.js';
import { EnrollmentNotFound, ForbiddenTransition } from '../../../enrollment/enrollments/enrollment.errors.js';
import { EnrollmentService } from '../../../enrollment/memberships/enrollment.service.js';
import type { User } from '../../../users/user.entity.js';
import { MemberAccess } from '../memberships/member-access.service.js';
import { MemberCannotSignIn } from './mailed-links.errors.js';

export interface LinkRecipient {
  readonly user: User;
  /** The app in whose name the mail is sent, and to which the link leads. */
  readonly client: RegisteredClient;
}

/** Users to whom an administrator may send a link: active members of an app that they administer. */
@Injectable()
export class LinkRecipients {
  constructor(
    private readonly access: MemberAccess,
    private readonly enrollment: EnrollmentService,
    private readonly directory: AppDirectory,
  ) {}

  /**
   * @throws AppNotFound, InsufficientPermissions, UserNotFound, EnrollmentNotFound, ForbiddenTransition where the
   *   membership is not active, MemberCannotSignIn
   */
  async get(ctx: RequestContext, userId: string, appId: string): Promise<LinkRecipient> {
    const { app, user } = await this.access.member(ctx, userId, appId);
    const enrollment = await this.enrollment.find(user.id, app.id);
    if (!enrollment) throw new EnrollmentNotFound();
    if (enrollment.status !== 'active') throw new ForbiddenTransition('Enrollment is not active');
    const client = await this.directory.findOpen(app.id);
    if (!client || !user.isActive) throw new MemberCannotSignIn(client ? 'User is not active' : 'App is not active');
    return { user, client };
  }
}
