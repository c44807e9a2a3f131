import { Controller, Get, HttpCode, NotFoundException, Param, Post, Res } from '@nestjs/common';
import type { Response } from 'express';
import { MembershipRoles } from '../../admin/people/membership-roles.service.js';
import { MembershipsService } from '../../admin/people/memberships.service.js';
import { PeopleAccess } from '../../admin/people/people-access.service.js';
import { EnrollmentNotFound } from '../../enrollment/enrollment.errors.js';
import { isMembershipAction, MEMBERSHIP_ACTIONS, MEMBERSHIP_PERMISSION } from '../../enrollment/membership-actions.js';
import { PLAIN_CONFIRMATION } from '../frame/confirmation.js';
import { ConsolePage } from '../frame/console-page.js';
import { ConsolePages } from '../frame/console-pages.js';
import { type ConsoleRequest, type Fields, FormFields, CurrentConsoleRequest } from '../frame/console-request.js';
import { formErrors } from '../frame/form-input.js';
import { CONFIRMED_EMAIL, isUnasked, questionOf } from '../memberships/membership-questions.js';
import { MEMBERSHIP_WORDS } from '../memberships/membership-words.js';
import { personCrumbs } from './person-crumbs.js';
import { PersonPages } from './person-pages.js';

type Errors = ReturnType<typeof formErrors>;

const ROLE_FIELD = 'role:';

/** A user's memberships in apps: changed through the services of the admin API. */
@Controller('console/users/:user_id')
export class PersonPlacesController {
  constructor(
    private readonly memberships: MembershipsService,
    private readonly roles: MembershipRoles,
    private readonly access: PeopleAccess,
    private readonly people: PersonPages,
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
      await this.roles.set(consoleRequest.ctx, id, appId, roles);
    } catch (error) {
      return this.rolesForm(consoleRequest, response, id, appId, roles, formErrors(error));
    }
    await this.back(consoleRequest, response, id, 'The roles were saved. They take effect with the next access token.');
  }

  /** Below the pages that have addresses of their own: what is left is the name of an act. */
  @Get('apps/:app_id/:act')
  @ConsolePage(MEMBERSHIP_PERMISSION.minimumRole, MEMBERSHIP_PERMISSION)
  async ask(
    @CurrentConsoleRequest() consoleRequest: ConsoleRequest,
    @Param('user_id') id: string,
    @Param('app_id') appId: string,
    @Param('act') name: string,
    @Res() response: Response,
  ): Promise<void> {
    const { app, user, roles } = await this.place(consoleRequest, id, appId);
    const question = isMembershipAction(name) ? questionOf(name, user) : null;
    if (!question) throw new NotFoundException();
    await this.pages.confirm(consoleRequest, response, {
      ...PLAIN_CONFIRMATION,
      title: question.title(user.displayName, app.name),
      lead: question.lead,
      area: 'users',
      crumbs: personCrumbs(user),
      impact: [
        { label: 'Person', value: `${user.displayName}, ${user.email}` },
        { label: 'Roles', value: roles.join(', ') },
      ],
      action: `/console/users/${id}/apps/${appId}/${name}`,
      hidden: [{ name: CONFIRMED_EMAIL, value: user.email }],
      button: question.button,
      isDanger: true,
      cancelUrl: `/console/users/${id}`,
    });
  }

  @Post('apps/:app_id/:act')
  @ConsolePage(MEMBERSHIP_PERMISSION.minimumRole, MEMBERSHIP_PERMISSION)
  async run(
    @CurrentConsoleRequest() consoleRequest: ConsoleRequest,
    @Param('user_id') id: string,
    @Param('app_id') appId: string,
    @Param('act') name: string,
    @FormFields() fields: Fields,
    @Res() response: Response,
  ): Promise<void> {
    const { user } = await this.access.member(consoleRequest.ctx, id, appId);
    if (!isMembershipAction(name)) throw new NotFoundException();
    if (isUnasked(name, user, fields)) return this.ask(consoleRequest, id, appId, name, response);
    await this.memberships.run(name, consoleRequest.ctx, id, appId);
    // An app admin no longer sees a user who has left all of their apps.
    const path = MEMBERSHIP_ACTIONS[name].to === null ? '/console/users' : `/console/users/${id}`;
    await this.pages.redirectWithFlash(consoleRequest, response, path, MEMBERSHIP_WORDS[name].done(user.displayName));
  }

  private async rolesForm(
    consoleRequest: ConsoleRequest,
    response: Response,
    id: string,
    appId: string,
    chosen: readonly string[] | null,
    errors: Errors,
  ): Promise<void> {
    const { app, user, roles } = await this.place(consoleRequest, id, appId);
    const held = new Set(chosen ?? roles);
    await this.pages.show(consoleRequest, response, {
      view: 'users/roles',
      title: `Roles in ${app.name}`,
      area: 'users',
      status: errors.length > 0 ? 422 : 200,
      crumbs: personCrumbs(user),
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

  /** @throws AppNotFound, InsufficientPermissions, UserNotFound, EnrollmentNotFound */
  private async place(consoleRequest: ConsoleRequest, id: string, appId: string) {
    const { app, user } = await this.access.member(consoleRequest.ctx, id, appId);
    const { enrollments } = await this.people.find(consoleRequest, id);
    const place = enrollments.find(({ enrollment }) => enrollment.appId === appId.toLowerCase());
    if (!place) throw new EnrollmentNotFound();
    return { app, user, roles: place.enrollment.roles };
  }

  private back(consoleRequest: ConsoleRequest, response: Response, id: string, words: string): Promise<void> {
    return this.pages.redirectWithFlash(consoleRequest, response, `/console/users/${id}`, words);
  }
}

const ROLE_HINTS: Readonly<Record<string, string>> = {
  admin: 'Administers the app: members, settings, invites.',
  manager: 'Can invite people with the role user.',
};
