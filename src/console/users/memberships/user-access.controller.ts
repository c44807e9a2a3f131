import { Controller, Param, Res } from '@nestjs/common';
import type { Response } from 'express';
import { AccessCheckService } from '../../../admin/users/access-check/access-check.service.js';
import { type ConsoleRequest, CurrentConsoleRequest } from '../../frame/requests/console-request.js';
import { OwnApps } from '../../frame/requests/own-apps.js';
import { type AppParameters, CurrentAppParameters, UserAppPage } from './app-parameters.js';
import { UserModels } from '../page/user-models.js';
import { UserPages } from '../page/user-pages.js';

/** Why a user can or cannot sign in to an app. */
@Controller('console/users/:user_id')
export class UserAccessController {
  constructor(
    private readonly userPages: UserPages,
    private readonly models: UserModels,
    private readonly apps: OwnApps,
    private readonly access: AccessCheckService,
  ) {}

  @UserAppPage('access')
  async accessCheck(
    @CurrentConsoleRequest() consoleRequest: ConsoleRequest,
    @Param('user_id') id: string,
    @CurrentAppParameters() { wanted, typed }: AppParameters,
    @Res() response: Response,
  ): Promise<void> {
    const detail = await this.userPages.find(consoleRequest, id);
    const [firstAppId] = detail.enrollments.map(({ enrollment }) => enrollment.appId);
    const selection = await this.apps.select(consoleRequest, typed, wanted ?? firstAppId);
    const { apps } = selection;
    const app =
      selection.hit ??
      apps.find((each) => each.id === wanted) ??
      apps.find((each) => each.id === firstAppId) ??
      apps[0] ??
      null;
    const rules = app ? await this.access.check(consoleRequest.ctx, id, app.id) : [];
    await this.userPages.show(consoleRequest, response, detail, {
      tab: 'access',
      view: 'access',
      model: this.models.access(selection, app, rules, {
        userId: id,
        isPlatform: consoleRequest.actor.authority.platform,
      }),
    });
  }
}
