import { Controller, HttpCode, Param, Post, Res } from '@nestjs/common';
import type { Response } from 'express';
import { MembershipRoles } from '../../../admin/users/memberships/membership-roles.service.js';
import type { FormError } from '../../../common/pages/form-error.js';
import { AppNotFound } from '../../../apps/app/apps.errors.js';
import type { EnrollmentStatus } from '../../../enrollment/enrollments/enrollment.entity.js';
import { ConsolePage } from '../../frame/pages/console-page.js';
import { ConsolePages } from '../../frame/pages/console-pages.js';
import {
  type ConsoleRequest,
  type Fields,
  FormFields,
  CurrentConsoleRequest,
} from '../../frame/requests/console-request.js';
import { appChoices, OwnApps } from '../../frame/requests/own-apps.js';
import { type AppParameters, CurrentAppParameters, UserAppPage } from './app-parameters.js';
import { userCrumbs } from '../page/user-crumbs.js';
import { UserPages } from '../page/user-pages.js';

/** Enrolls a user in another app. */
@Controller('console/users/:user_id/enrol')
export class UserEnrollmentController {
  constructor(
    private readonly roles: MembershipRoles,
    private readonly userPages: UserPages,
    private readonly apps: OwnApps,
    private readonly pages: ConsolePages,
  ) {}

  @UserAppPage()
  askToEnroll(
    @CurrentConsoleRequest() consoleRequest: ConsoleRequest,
    @Param('user_id') id: string,
    @CurrentAppParameters() parameters: AppParameters,
    @Res() response: Response,
  ): Promise<void> {
    return this.form(consoleRequest, response, id, parameters, []);
  }

  @Post()
  @ConsolePage('app_admin', { recentSignIn: 'for_authority' })
  @HttpCode(303)
  async enroll(
    @CurrentConsoleRequest() consoleRequest: ConsoleRequest,
    @Param('user_id') id: string,
    @FormFields() fields: Fields,
    @Res() response: Response,
  ): Promise<void> {
    const app = await this.apps.find(consoleRequest, fields['app_id'] ?? '');
    if (!app) throw new AppNotFound();
    if (!(await this.roles.enroll(consoleRequest.ctx, id, app.id))) {
      const { enrollments } = await this.userPages.find(consoleRequest, id);
      const status = enrollments.find(({ enrollment }) => enrollment.appId === app.id)?.enrollment.status;
      const errors = [{ field: null, message: `${whyNot(app.name)[status ?? 'active']} Nothing was changed.` }];
      return this.form(consoleRequest, response, id, { wanted: undefined, typed: undefined }, errors);
    }
    const { user } = await this.userPages.find(consoleRequest, id);
    const words = `${user.displayName} is now a member of ${app.name}.`;
    await this.pages.redirectWithFlash(consoleRequest, response, `/console/users/${id}`, words);
  }

  private async form(
    consoleRequest: ConsoleRequest,
    response: Response,
    id: string,
    { wanted, typed }: AppParameters,
    errors: readonly FormError[],
  ): Promise<void> {
    const [{ user, enrollments }, selection] = await Promise.all([
      this.userPages.find(consoleRequest, id),
      this.apps.select(consoleRequest, typed, wanted, { origin: 'operator' }),
    ]);
    const { apps, search, isSearchable } = selection;
    const taken = new Set(enrollments.map(({ enrollment }) => enrollment.appId));
    await this.pages.show(consoleRequest, response, {
      view: 'users/enrol',
      title: 'Add to an app',
      area: 'users',
      status: errors.length > 0 ? 422 : 200,
      crumbs: userCrumbs(user),
      model: {
        name: user.displayName,
        base: `/console/users/${id}`,
        apps: appChoices(
          apps.filter((app) => !taken.has(app.id) && !app.isConsoleApp),
          selection.hit?.id ?? wanted,
        ),
        appFinder: isSearchable ? { action: `/console/users/${id}/enrol`, search } : null,
        errors,
      },
    });
  }
}

function whyNot(app: string): Record<EnrollmentStatus, string> {
  return {
    active: `They are already a member of ${app}.`,
    pending: `They have requested access to ${app}. Approve the request on the page “Requests”.`,
    suspended: `Their membership of ${app} is suspended. Reactivate it on their page.`,
  };
}
