import { Controller, Get, NotFoundException, Param, Post, Res } from '@nestjs/common';
import type { Response } from 'express';
import { type MembershipChange, MembershipsService } from '../../../admin/users/memberships/memberships.service.js';
import {
  isMembershipAction,
  MEMBERSHIP_ACTIONS,
  MEMBERSHIP_PERMISSION,
} from '../../../enrollment/enrollments/membership-actions.js';
import { ConsolePage } from '../../frame/pages/console-page.js';
import {
  type ConsoleRequest,
  type Fields,
  FormFields,
  CurrentConsoleRequest,
} from '../../frame/requests/console-request.js';
import { formErrors } from '../../frame/lists/form-input.js';
import { CONFIRMED_EMAIL, isUnasked, questionOf } from '../../memberships/membership-questions.js';
import { doneWords } from '../../memberships/membership-words.js';
import { ActFacts } from '../../previews/act-facts.js';
import { AppPages } from '../page/app-pages.js';
import { appPath } from '../page/app-tabs.js';
import { type FoundMember, MemberPage } from './member-page.js';

/** Changes a user's membership in an app. Asks for confirmation if the user loses something. */
@Controller('console/apps/:app_id/members/:user_id/:act')
export class MemberActsController {
  constructor(
    private readonly memberships: MembershipsService,
    private readonly member: MemberPage,
    private readonly facts: ActFacts,
    private readonly pages: AppPages,
  ) {}

  @Get()
  @ConsolePage(MEMBERSHIP_PERMISSION.minimumRole, MEMBERSHIP_PERMISSION)
  async ask(
    @CurrentConsoleRequest() consoleRequest: ConsoleRequest,
    @Param('app_id') id: string,
    @Param('user_id') userId: string,
    @Param('act') name: string,
    @Res() response: Response,
  ): Promise<void> {
    const found = await this.member.find(consoleRequest, id, userId);
    const { app, user, enrollment } = found;
    if (!isMembershipAction(name)) throw new NotFoundException();
    const question = questionOf(name, user);
    if (!question) throw new NotFoundException();
    await this.pages.ask(consoleRequest, response, app, 'members', {
      title: question.title(user.displayName, app.name),
      lead: question.lead,
      impact: [
        { label: 'User', value: `${user.displayName}, ${user.email}` },
        { label: 'Roles', value: enrollment.roles.join(', ') },
        ...(await this.facts.ofMembers(consoleRequest, id, name, [userId])),
      ],
      action: memberPath(found, `/${name}`),
      hidden: [{ name: CONFIRMED_EMAIL, value: user.email }],
      button: question.button,
      cancelUrl: memberPath(found),
    });
  }

  @Post()
  @ConsolePage(MEMBERSHIP_PERMISSION.minimumRole, { ...MEMBERSHIP_PERMISSION, back: '.' })
  async run(
    @CurrentConsoleRequest() consoleRequest: ConsoleRequest,
    @Param('app_id') id: string,
    @Param('user_id') userId: string,
    @Param('act') name: string,
    @FormFields() fields: Fields,
    @Res() response: Response,
  ): Promise<void> {
    const found = await this.member.find(consoleRequest, id, userId);
    if (!isMembershipAction(name)) throw new NotFoundException();
    if (isUnasked(name, found.user, fields)) return this.ask(consoleRequest, id, userId, name, response);
    let change: MembershipChange;
    try {
      change = await this.memberships.run(name, consoleRequest.ctx, userId, id);
    } catch (error) {
      return this.member.show(consoleRequest, response, id, userId, null, formErrors(error));
    }
    const path = MEMBERSHIP_ACTIONS[name].to === null ? appPath(found.app, 'members') : memberPath(found);
    const words = doneWords(name, found.user.displayName, change.emailSent);
    const kind = change.emailSent === false ? 'warning' : 'done';
    await this.pages.redirectWithFlash(consoleRequest, response, path, words, kind);
  }
}

function memberPath({ app, user }: FoundMember, below = ''): string {
  return appPath(app, 'members', `/${user.id}${below}`);
}
