import { Controller, Get, Param, Post, Res } from '@nestjs/common';
import type { Response } from 'express';
import { MembershipRoles } from '../../../admin/users/memberships/membership-roles.service.js';
import { RolesChange } from '../../../admin/users/memberships/membership.dto.js';
import type { FormError } from '../../../common/pages/form-error.js';
import { ConsolePage } from '../../frame/pages/console-page.js';
import {
  type ConsoleRequest,
  type Fields,
  FormFields,
  CurrentConsoleRequest,
} from '../../frame/requests/console-request.js';
import { formErrors, readForm } from '../../frame/lists/form-input.js';
import { RolesReview } from '../../previews/roles-review.js';
import { AppPages } from '../page/app-pages.js';
import { appPath } from '../page/app-tabs.js';
import { tickedOf } from '../../frame/lists/form-values.js';
import { MemberPage, ROLE } from './member-page.js';

/** One member of an app, and the roles they have there. */
@Controller('console/apps/:app_id/members')
export class MemberController {
  constructor(
    private readonly roles: MembershipRoles,
    private readonly member: MemberPage,
    private readonly review: RolesReview,
    private readonly pages: AppPages,
  ) {}

  @Get(':user_id')
  @ConsolePage('app_admin')
  async show(
    @CurrentConsoleRequest() consoleRequest: ConsoleRequest,
    @Param('app_id') id: string,
    @Param('user_id') userId: string,
    @Res() response: Response,
  ): Promise<void> {
    await this.member.show(consoleRequest, response, id, userId);
  }

  @Post(':user_id/roles')
  @ConsolePage('app_admin', { recentSignIn: 'for_authority', back: '.' })
  async setRoles(
    @CurrentConsoleRequest() consoleRequest: ConsoleRequest,
    @Param('app_id') id: string,
    @Param('user_id') userId: string,
    @FormFields() fields: Fields,
    @Res() response: Response,
  ): Promise<void> {
    const again = (errors: readonly FormError[]) =>
      this.member.show(consoleRequest, response, id, userId, fields, errors);
    // Setting roles would enroll a user who is not a member, which this page must not do.
    const { app, user } = await this.member.find(consoleRequest, id, userId);
    const form = readForm(RolesChange, { app_id: id, roles: tickedOf(fields, ROLE) });
    if ('errors' in form) return again(form.errors);
    try {
      const isReviewed = await this.review.isReviewed(consoleRequest, response, {
        app,
        userId,
        roles: form.input.roles,
        fields,
        page: {
          ...this.pages.navigationBelow(consoleRequest, app, 'members'),
          title: `Change the roles of ${user.displayName} in ${app.name}?`,
          action: appPath(app, 'members', `/${userId}/roles`),
          cancelUrl: appPath(app, 'members', `/${userId}`),
        },
      });
      if (!isReviewed) return;
      const roles = await this.roles.set(consoleRequest.ctx, userId, id, form.input.roles);
      await this.pages.redirectWithFlash(
        consoleRequest,
        response,
        appPath({ id }, 'members', `/${userId}`),
        `The roles were saved: ${roles.join(', ')}.`,
      );
    } catch (error) {
      return again(formErrors(error, { cannot_remove_yourself: 'roles' }));
    }
  }
}
