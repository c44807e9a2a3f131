import { Controller, Get, HttpCode, Param, Post, Res } from '@nestjs/common';
import type { Response } from 'express';
import { MembershipRoles } from '../../../admin/users/memberships/membership-roles.service.js';
import { MEMBERSHIP_PERMISSION } from '../../../enrollment/enrollments/membership-actions.js';
import { ConsolePage } from '../../frame/pages/console-page.js';
import { ConsolePages } from '../../frame/pages/console-pages.js';
import {
  type ConsoleRequest,
  type Fields,
  FormFields,
  CurrentConsoleRequest,
} from '../../frame/requests/console-request.js';
import { formErrors } from '../../frame/lists/form-input.js';
import { RolesReview } from '../../previews/roles-review.js';
import { userCrumbs } from '../page/user-crumbs.js';
import { UserMembership } from './user-membership.js';

type Errors = ReturnType<typeof formErrors>;

const ROLE_FIELD = 'role:';

/** A user's roles in one app. */
@Controller('console/users/:user_id')
export class UserRolesController {
  constructor(
    private readonly roles: MembershipRoles,
    private readonly membership: UserMembership,
    private readonly review: RolesReview,
    private readonly pages: ConsolePages,
  ) {}

  @Get('apps/:app_id/roles')
  @ConsolePage(MEMBERSHIP_PERMISSION.minimumRole, MEMBERSHIP_PERMISSION)
  async askForRoles(
    @CurrentConsoleRequest() consoleRequest: ConsoleRequest,
    @Param('user_id') id: string,
    @Param('app_id') appId: string,
    @Res() response: Response,
  ): Promise<void> {
    return this.rolesForm(consoleRequest, response, id, appId, null, []);
  }

  @Post('apps/:app_id/roles')
  @ConsolePage(MEMBERSHIP_PERMISSION.minimumRole, MEMBERSHIP_PERMISSION)
  @HttpCode(303)
  async setRoles(
    @CurrentConsoleRequest() consoleRequest: ConsoleRequest,
    @Param('user_id') id: string,
    @Param('app_id') appId: string,
    @FormFields() fields: Fields,
    @Res() response: Response,
  ): Promise<void> {
    const roles = Object.keys(fields).flatMap((name) =>
      name.startsWith(ROLE_FIELD) ? [name.slice(ROLE_FIELD.length)] : [],
    );
    try {
      const { app, user } = await this.membership.find(consoleRequest, id, appId);
      const isReviewed = await this.review.isReviewed(consoleRequest, response, {
        app,
        userId: id,
        roles,
        fields,
        page: {
          title: `Change the roles of ${user.displayName} in ${app.name}?`,
          area: 'users',
          crumbs: userCrumbs(user),
          action: `/console/users/${id}/apps/${appId}/roles`,
          cancelUrl: `/console/users/${id}/apps/${appId}/roles`,
        },
      });
      if (!isReviewed) return;
      await this.roles.set(consoleRequest.ctx, id, appId, roles);
    } catch (error) {
      return this.rolesForm(consoleRequest, response, id, appId, roles, formErrors(error));
    }
    await this.pages.redirectWithFlash(
      consoleRequest,
      response,
      `/console/users/${id}`,
      'The roles were saved. They take effect with the next access token.',
    );
  }

  private async rolesForm(
    consoleRequest: ConsoleRequest,
    response: Response,
    id: string,
    appId: string,
    chosen: readonly string[] | null,
    errors: Errors,
  ): Promise<void> {
    const { app, user, roles } = await this.membership.find(consoleRequest, id, appId);
    const held = new Set(chosen ?? roles);
    await this.pages.show(consoleRequest, response, {
      view: 'users/roles',
      title: `Roles in ${app.name}`,
      area: 'users',
      status: errors.length > 0 ? 422 : 200,
      crumbs: userCrumbs(user),
      model: {
        heading: `Roles of ${user.displayName} in ${app.name}`,
        action: `/console/users/${id}/apps/${appId}/roles`,
        base: `/console/users/${id}`,
        roles: app.config.available_roles
          .filter((role) => role !== 'user')
          .map((role) => ({
            field: `${ROLE_FIELD}${role}`,
            role,
            isHeld: held.has(role),
            hint: ROLE_HINTS[role] ?? '',
          })),
        errors,
      },
    });
  }
}

const ROLE_HINTS: Readonly<Record<string, string>> = {
  admin: 'Administers the app: members, settings, invites.',
  manager: 'Can invite users with the role user.',
};
