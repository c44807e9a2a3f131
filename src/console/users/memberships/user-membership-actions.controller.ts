import { Controller, Get, NotFoundException, Param, Post, Res } from '@nestjs/common';
import type { Response } from 'express';
import { MembershipsService } from '../../../admin/users/memberships/memberships.service.js';
import {
  isMembershipAction,
  MEMBERSHIP_ACTIONS,
  MEMBERSHIP_PERMISSION,
} from '../../../enrollment/enrollments/membership-actions.js';
import { PLAIN_CONFIRMATION } from '../../frame/pages/confirmation.js';
import { ConsolePage } from '../../frame/pages/console-page.js';
import { ConsolePages } from '../../frame/pages/console-pages.js';
import {
  type ConsoleRequest,
  type Fields,
  FormFields,
  CurrentConsoleRequest,
} from '../../frame/requests/console-request.js';
import { CONFIRMED_EMAIL, isUnasked, questionOf } from '../../memberships/membership-questions.js';
import { doneWords } from '../../memberships/membership-words.js';
import { ActFacts } from '../../previews/act-facts.js';
import { userCrumbs } from '../page/user-crumbs.js';
import { UserMembership } from './user-membership.js';

/** A user's memberships in apps, except for roles: changed through the services of the admin API. */
@Controller('console/users/:user_id')
export class UserMembershipActionsController {
  constructor(
    private readonly memberships: MembershipsService,
    private readonly membership: UserMembership,
    private readonly facts: ActFacts,
    private readonly pages: ConsolePages,
  ) {}

  /** Must come after the routes with fixed paths: this segment is the name of an action. */
  @Get('apps/:app_id/:act')
  @ConsolePage(MEMBERSHIP_PERMISSION.minimumRole, MEMBERSHIP_PERMISSION)
  async ask(
    @CurrentConsoleRequest() consoleRequest: ConsoleRequest,
    @Param('user_id') id: string,
    @Param('app_id') appId: string,
    @Param('act') name: string,
    @Res() response: Response,
  ): Promise<void> {
    const { app, user, roles } = await this.membership.find(consoleRequest, id, appId);
    if (!isMembershipAction(name)) throw new NotFoundException();
    const question = questionOf(name, user);
    if (!question) throw new NotFoundException();
    await this.pages.confirm(consoleRequest, response, {
      ...PLAIN_CONFIRMATION,
      title: question.title(user.displayName, app.name),
      lead: question.lead,
      area: 'users',
      crumbs: userCrumbs(user),
      impact: [
        { label: 'User', value: `${user.displayName}, ${user.email}` },
        { label: 'Roles', value: roles.join(', ') },
        ...(await this.facts.ofMembers(consoleRequest, appId, name, [id])),
      ],
      action: `/console/users/${id}/apps/${appId}/${name}`,
      hidden: [{ name: CONFIRMED_EMAIL, value: user.email }],
      button: question.button,
      isDanger: true,
      cancelUrl: `/console/users/${id}`,
    });
  }

  @Post('apps/:app_id/:act')
  @ConsolePage(MEMBERSHIP_PERMISSION.minimumRole, { ...MEMBERSHIP_PERMISSION, back: '../..' })
  async run(
    @CurrentConsoleRequest() consoleRequest: ConsoleRequest,
    @Param('user_id') id: string,
    @Param('app_id') appId: string,
    @Param('act') name: string,
    @FormFields() fields: Fields,
    @Res() response: Response,
  ): Promise<void> {
    const { user } = await this.membership.member(consoleRequest, id, appId);
    if (!isMembershipAction(name)) throw new NotFoundException();
    if (isUnasked(name, user, fields)) return this.ask(consoleRequest, id, appId, name, response);
    const { emailSent } = await this.memberships.run(name, consoleRequest.ctx, id, appId);
    // An app admin can no longer see a user who has left all of their apps.
    const path = MEMBERSHIP_ACTIONS[name].to === null ? '/console/users' : `/console/users/${id}`;
    const kind = emailSent === false ? 'warning' : 'done';
    const words = doneWords(name, user.displayName, emailSent);
    await this.pages.redirectWithFlash(consoleRequest, response, path, words, kind);
  }
}
