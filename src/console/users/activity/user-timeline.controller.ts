import { Controller, Get, Param, Query, Res } from '@nestjs/common';
import type { Response } from 'express';
import { AuditReader } from '../../../admin/audit-log/audit-reader.service.js';
import { ConsolePage } from '../../frame/pages/console-page.js';
import { type ConsoleRequest, CurrentConsoleRequest } from '../../frame/requests/console-request.js';
import { EVENT_GROUPS } from '../../timeline/event-sentences.js';
import { UserPages } from '../page/user-pages.js';
import { TimelinePages } from './timeline-pages.js';

const ENTRIES = 40;

/** Actions by and on a user. */
@Controller('console/users/:user_id')
export class UserTimelineController {
  constructor(
    private readonly userPages: UserPages,
    private readonly audit: AuditReader,
    private readonly timeline: TimelinePages,
  ) {}

  @Get('timeline')
  @ConsolePage('app_admin')
  async whatHappened(
    @CurrentConsoleRequest() consoleRequest: ConsoleRequest,
    @Param('user_id') id: string,
    @Query() query: Readonly<Record<string, unknown>>,
    @Res() response: Response,
  ): Promise<void> {
    const detail = await this.userPages.find(consoleRequest, id);
    const { cursor, show } = query;
    const group = EVENT_GROUPS.find((each) => each.id === show) ?? null;
    const after = typeof cursor === 'string' ? cursor : null;
    const page = await this.audit.listOfUser(consoleRequest.ctx, detail.user, group?.actions, after, ENTRIES);
    const model = await this.timeline.model(consoleRequest, page, group);
    await this.userPages.show(consoleRequest, response, detail, { tab: 'timeline', view: 'timeline', model });
  }
}
