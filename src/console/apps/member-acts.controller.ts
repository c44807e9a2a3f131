import { Controller, Get, NotFoundException, Param, Post, Res } from '@nestjs/common';
import type { Response } from 'express';
import { MembershipsService } from '../../admin/people/memberships.service.js';
import { ConsolePage } from '../frame/console-page.js';
import { type ConsoleRequest, type Fields, FormFields, CurrentConsoleRequest } from '../frame/console-request.js';
import { formErrors } from '../frame/form-input.js';
import { CONFIRMED_EMAIL, isUnasked, PLACE_ACTS, questionOf } from '../users/place-acts.js';
import { AppPages } from './app-pages.js';
import { appPath } from './app-tabs.js';
import { type FoundMember, MemberPage } from './member-page.js';

/** Changes a user's membership in an app; asks first if they lose something. */
@Controller('console/apps/:app_id/members/:user_id/:act')
export class MemberActsController {
  constructor(
    private readonly memberships: MembershipsService,
    private readonly member: MemberPage,
    private readonly pages: AppPages,
  ) {}

  @Get()
  @ConsolePage('app_admin', { recentSignIn: 'for_authority' })
  async ask(
    @CurrentConsoleRequest() consoleRequest: ConsoleRequest,
    @Param('app_id') id: string,
    @Param('user_id') userId: string,
    @Param('act') name: string,
    @Res() response: Response,
  ): Promise<void> {
    const found = await this.member.find(consoleRequest, id, userId);
    const { app, user, enrollment } = found;
    const question = questionOf(PLACE_ACTS.get(name), user);
    if (!question) throw new NotFoundException();
    await this.pages.ask(consoleRequest, response, app, 'members', {
      title: question.title(user.displayName, app.name),
      lead: question.lead,
      impact: [
        { label: 'Person', value: `${user.displayName}, ${user.email}` },
        { label: 'Roles', value: enrollment.roles.join(', ') },
      ],
      action: placeOf(found, `/${name}`),
      hidden: [{ name: CONFIRMED_EMAIL, value: user.email }],
      button: question.button,
      cancelUrl: placeOf(found),
    });
  }

  @Post()
  @ConsolePage('app_admin', { recentSignIn: 'for_authority' })
  async run(
    @CurrentConsoleRequest() consoleRequest: ConsoleRequest,
    @Param('app_id') id: string,
    @Param('user_id') userId: string,
    @Param('act') name: string,
    @FormFields() fields: Fields,
    @Res() response: Response,
  ): Promise<void> {
    const found = await this.member.find(consoleRequest, id, userId);
    const act = PLACE_ACTS.get(name);
    if (!act) throw new NotFoundException();
    if (isUnasked(act, found.user, fields)) return this.ask(consoleRequest, id, userId, name, response);
    try {
      await act.run(this.memberships, consoleRequest.ctx, userId, id);
    } catch (error) {
      return this.member.show(consoleRequest, response, id, userId, null, formErrors(error));
    }
    const path = act.isEnd ? appPath(found.app, 'members') : placeOf(found);
    await this.pages.redirectWithFlash(consoleRequest, response, path, act.done(found.user.displayName));
  }
}

function placeOf({ app, user }: FoundMember, below = ''): string {
  return appPath(app, 'members', `/${user.id}${below}`);
}
