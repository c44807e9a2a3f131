import { Controller, Get, Param, Query, Res } from '@nestjs/common';
import type { Response } from 'express';
import { isAllowed } from '../../admin/people/access-check.rules.js';
import { AccessCheckService } from '../../admin/people/access-check.service.js';
import { UserSessionsService } from '../../admin/people/user-sessions.service.js';
import { AuditReader } from '../../admin/audit-reader.service.js';
import { ConsolePage } from '../frame/console-page.js';
import { type ConsoleRequest, CurrentConsoleRequest } from '../frame/console-request.js';
import { OwnApps } from '../frame/own-apps.js';
import { PersonModels } from './person-models.js';
import { PersonPages } from './person-pages.js';
import { TimelinePages } from './timeline-pages.js';

const ENTRIES = 40;

/** Looking at one person, a tab an address. */
@Controller('console/users/:user_id')
export class PersonController {
  constructor(
    private readonly people: PersonPages,
    private readonly models: PersonModels,
    private readonly apps: OwnApps,
    private readonly access: AccessCheckService,
    private readonly sessions: UserSessionsService,
    private readonly audit: AuditReader,
    private readonly timeline: TimelinePages,
  ) {}

  @Get()
  @ConsolePage('app_admin')
  async overview(
    @CurrentConsoleRequest() consoleRequest: ConsoleRequest,
    @Param('user_id') id: string,
    @Res() response: Response,
  ): Promise<void> {
    const [detail, { apps, isSearchable }] = await Promise.all([
      this.people.find(consoleRequest, id),
      this.apps.select(consoleRequest, ''),
    ]);
    const model = await this.models.overview(consoleRequest, detail, apps, isSearchable);
    await this.people.show(consoleRequest, response, detail, { tab: 'overview', view: 'overview', model });
  }

  @Get('access')
  @ConsolePage('app_admin')
  async accessCheck(
    @CurrentConsoleRequest() consoleRequest: ConsoleRequest,
    @Param('user_id') id: string,
    @Query('app') wanted: unknown,
    @Query('app_q') typed: unknown,
    @Res() response: Response,
  ): Promise<void> {
    const detail = await this.people.find(consoleRequest, id);
    const [place] = detail.enrollments.map(({ enrollment }) => enrollment.appId);
    const selection = await this.apps.select(consoleRequest, typed, wanted ?? place);
    const { apps } = selection;
    const app =
      selection.hit ??
      apps.find((each) => each.id === wanted) ??
      apps.find((each) => each.id === place) ??
      apps[0] ??
      null;
    const rules = app ? await this.access.check(consoleRequest.ctx, id, app.id) : [];
    await this.people.show(consoleRequest, response, detail, {
      tab: 'access',
      view: 'access',
      model: this.models.access(selection, app, rules, isAllowed(rules)),
    });
  }

  @Get('sessions')
  @ConsolePage('app_admin')
  async signedIn(
    @CurrentConsoleRequest() consoleRequest: ConsoleRequest,
    @Param('user_id') id: string,
    @Res() response: Response,
  ): Promise<void> {
    const [detail, seen] = await Promise.all([
      this.people.find(consoleRequest, id),
      this.sessions.list(consoleRequest.ctx, id),
    ]);
    const model = await this.models.sessions(detail, seen);
    await this.people.show(consoleRequest, response, detail, { tab: 'sessions', view: 'sessions', model });
  }

  @Get('timeline')
  @ConsolePage('app_admin')
  async whatHappened(
    @CurrentConsoleRequest() consoleRequest: ConsoleRequest,
    @Param('user_id') id: string,
    @Query('cursor') cursor: unknown,
    @Res() response: Response,
  ): Promise<void> {
    const detail = await this.people.find(consoleRequest, id);
    const after = typeof cursor === 'string' ? cursor : null;
    const page = await this.audit.listOfPerson(consoleRequest.ctx, detail.user, after, ENTRIES);
    const model = await this.timeline.model(id, page);
    await this.people.show(consoleRequest, response, detail, { tab: 'timeline', view: 'timeline', model });
  }
}
