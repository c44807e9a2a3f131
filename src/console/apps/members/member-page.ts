import { Injectable } from '@nestjs/common';
import type { Response } from 'express';
import { MemberAccess } from '../../../admin/users/memberships/member-access.service.js';
import type { App } from '../../../apps/app/app.entity.js';
import type { FormError } from '../../../common/pages/form-error.js';
import { Clock } from '../../../common/clock.js';
import type { Enrollment } from '../../../enrollment/enrollments/enrollment.entity.js';
import { EnrollmentNotFound } from '../../../enrollment/enrollments/enrollment.errors.js';
import { EnrollmentService } from '../../../enrollment/memberships/enrollment.service.js';
import type { User } from '../../../users/user.entity.js';
import type { ConsoleRequest, Fields } from '../../frame/requests/console-request.js';
import { AppPages } from '../page/app-pages.js';
import { memberRow } from './member-rows.js';

/** Prefix of role names in form fields. */
export const ROLE = 'role_';

export interface FoundMember {
  readonly app: App;
  readonly user: User;
  readonly enrollment: Enrollment;
}

/** One user in one app. */
@Injectable()
export class MemberPage {
  constructor(
    private readonly access: MemberAccess,
    private readonly enrollment: EnrollmentService,
    private readonly pages: AppPages,
    private readonly clock: Clock,
  ) {}

  /** @throws AppNotFound, InsufficientPermissions, UserNotFound, EnrollmentNotFound */
  async find({ ctx }: ConsoleRequest, appId: string, userId: string): Promise<FoundMember> {
    const { app, user } = await this.access.member(ctx, userId, appId);
    const enrollment = await this.enrollment.find(userId, appId);
    if (!enrollment) throw new EnrollmentNotFound();
    return { app, user, enrollment };
  }

  /** @param fields values of a form with errors; null: the current values */
  async show(
    consoleRequest: ConsoleRequest,
    response: Response,
    appId: string,
    userId: string,
    fields: Fields | null = null,
    errors: readonly FormError[] = [],
  ): Promise<void> {
    const { app, user, enrollment } = await this.find(consoleRequest, appId, userId);
    const offered = [...new Set([...app.config.available_roles, ...enrollment.roles])].filter(
      (role) => role !== 'user',
    );
    await this.pages.show(consoleRequest, response, app, {
      tab: 'members',
      view: 'member',
      title: user.displayName,
      errors,
      model: {
        member: memberRow(app, user, enrollment, this.clock.now()),
        roles: offered.map((role) => ({
          id: `${ROLE}${role}`,
          label: role,
          checked: fields ? fields[`${ROLE}${role}`] === 'on' : enrollment.roles.includes(role),
          hint: HINTS[role] ?? '',
        })),
      },
    });
  }
}

const HINTS: Readonly<Record<string, string>> = {
  admin: 'Administers this app: its settings, members and secret.',
  manager: 'Can only invite users to this app.',
};
