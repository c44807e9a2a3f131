import { Controller, Get, HttpCode, Post, Query, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { MembershipsService } from '../../admin/people/memberships.service.js';
import { UsersAdminService } from '../../admin/users-admin.service.js';
import { hasStanding } from '../../auth/access/access.rules.js';
import { readCursor } from '../../common/page-cursor.js';
import { Refusal } from '../../common/refusal.js';
import { ConsolePage } from '../frame/console-page.js';
import { ConsolePages } from '../frame/console-pages.js';
import { type ConsoleVisit, type Fields, FormFields, Visit } from '../frame/console-visit.js';
import { CONSOLE_PAGE_SIZE, readPage } from '../frame/pager.js';
import { OwnApps } from './own-apps.js';
import { filterOf, usersUrl } from './users-filter.rules.js';
import { UsersListPages } from './users-list-pages.js';

const PICKED = /^pick:([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;

/** The list of people, cut as the admin API cuts it; filters are in the address. */
@Controller('console/users')
export class UsersListController {
  constructor(
    private readonly users: UsersAdminService,
    private readonly memberships: MembershipsService,
    private readonly apps: OwnApps,
    private readonly views: UsersListPages,
    private readonly pages: ConsolePages,
  ) {}

  @Get()
  @ConsolePage('app_admin')
  async list(
    @Visit() visit: ConsoleVisit,
    @Query() query: Record<string, unknown>,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    const filter = filterOf(query);
    const page = readPage(query['page']);
    const cursor = typeof query['cursor'] === 'string' ? readCursor(query['cursor']) : null;
    const [found, apps] = await Promise.all([
      this.users.list(visit.ctx, { ...filter, cursor, page, limit: CONSOLE_PAGE_SIZE }),
      this.apps.list(visit),
    ]);
    await this.pages.show(visit, response, {
      view: 'users/list',
      title: 'Users',
      area: 'users',
      search: filter.search ?? '',
      model: {
        ...this.views.model({ filter, page, found, apps, request }),
        mayCreate: hasStanding(visit.actor.authority, 'tenant_admin'),
      },
    });
  }

  /** Whoever is not active there, or is the caller, is left as they are and counted. */
  @Post('suspend')
  @ConsolePage('app_admin')
  @HttpCode(303)
  async suspend(@Visit() visit: ConsoleVisit, @FormFields() fields: Fields, @Res() response: Response): Promise<void> {
    const filter = filterOf({ q: fields['q'], app: fields['app'], status: fields['status'] });
    const picked = Object.keys(fields).flatMap((name) => PICKED.exec(name)?.[1] ?? []);
    const words = filter.appId ? await this.suspendAll(visit, filter.appId, picked) : 'Choose an app first.';
    await this.pages.leave(visit, response, usersUrl(filter), words, filter.appId ? 'done' : 'warning');
  }

  private async suspendAll(visit: ConsoleVisit, appId: string, picked: readonly string[]): Promise<string> {
    let done = 0;
    for (const userId of picked.slice(0, CONSOLE_PAGE_SIZE)) {
      try {
        await this.memberships.suspend(visit.ctx, userId, appId);
        done++;
      } catch (error) {
        if (!(error instanceof Refusal) || error.kind === 'forbidden') throw error;
      }
    }
    const left = picked.length - done;
    return `${counted(done)} suspended${left > 0 ? `; ${counted(left)} left as they were` : ''}.`;
  }
}

function counted(count: number): string {
  return `${count} ${count === 1 ? 'person' : 'people'}`;
}
