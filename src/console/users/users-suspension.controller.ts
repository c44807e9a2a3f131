import { Controller, Get, HttpCode, Post, Query, Res } from '@nestjs/common';
import type { Response } from 'express';
import { MembershipsService } from '../../admin/people/memberships.service.js';
import { Refusal } from '../../common/refusal.js';
import { PeopleService } from '../../enrollment/people.service.js';
import { PLAIN_CONFIRMATION } from '../frame/confirmation.js';
import { ConsolePage } from '../frame/console-page.js';
import { ConsolePages } from '../frame/console-pages.js';
import { type ConsoleRequest, type Fields, FormFields, CurrentConsoleRequest } from '../frame/console-request.js';
import { CONSOLE_PAGE_SIZE } from '../frame/pager.js';
import { OwnApps } from '../frame/own-apps.js';
import { PLACE_ACTS } from './place-acts.js';
import { filterOf, usersUrl } from './users-filter.rules.js';

const PICK = 'pick:';
const PICKED = /^pick:([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;

/** Suspending many in one app: those of the list whose boxes are ticked. */
@Controller('console/users/suspend')
export class UsersSuspensionController {
  constructor(
    private readonly people: PeopleService,
    private readonly memberships: MembershipsService,
    private readonly apps: OwnApps,
    private readonly pages: ConsolePages,
  ) {}

  /** The people are named in the address, as the boxes of the list were ticked. */
  @Get()
  @ConsolePage('app_admin')
  async askToSuspend(
    @CurrentConsoleRequest() consoleRequest: ConsoleRequest,
    @Query() query: Record<string, unknown>,
    @Res() response: Response,
  ): Promise<void> {
    const filter = filterOf(query);
    const list = usersUrl(filter);
    const app = filter.appId ? await this.apps.find(consoleRequest, filter.appId) : null;
    const seen = app ? await this.people.listVisible(consoleRequest.ctx, pickedOf(query)) : [];
    if (!app || seen.length === 0) {
      const words = app ? 'Select at least one user.' : 'Choose an app first.';
      return this.pages.redirectWithFlash(consoleRequest, response, list, words, 'warning');
    }
    await this.pages.confirm(consoleRequest, response, {
      ...PLAIN_CONFIRMATION,
      title: `Suspend ${counted(seen.length)} in ${app.name}?`,
      lead: PLACE_ACTS.get('suspend')!.question!.lead,
      area: 'users',
      crumbs: [{ label: 'Users', href: list }],
      impact: [{ label: 'People', value: seen.map(({ email }) => email).join(', ') }],
      hidden: [
        ...new URLSearchParams(list.split('?')[1]),
        ...seen.map(({ id }) => [`${PICK}${id}`, 'on'] as const),
      ].map(([name, value]) => ({ name, value })),
      isDanger: true,
      action: '/console/users/suspend',
      button: 'Suspend',
      cancelUrl: list,
    });
  }

  /** Users who are not active there, and the caller, are skipped and counted. */
  @Post()
  @ConsolePage('app_admin')
  @HttpCode(303)
  async suspend(
    @CurrentConsoleRequest() consoleRequest: ConsoleRequest,
    @FormFields() fields: Fields,
    @Res() response: Response,
  ): Promise<void> {
    const filter = filterOf({ q: fields['q'], app: fields['app'], status: fields['status'] });
    const picked = pickedOf(fields);
    const words = filter.appId ? await this.suspendAll(consoleRequest, filter.appId, picked) : 'Choose an app first.';
    await this.pages.redirectWithFlash(
      consoleRequest,
      response,
      usersUrl(filter),
      words,
      filter.appId ? 'done' : 'warning',
    );
  }

  private async suspendAll(consoleRequest: ConsoleRequest, appId: string, picked: readonly string[]): Promise<string> {
    let done = 0;
    for (const userId of picked) {
      try {
        await this.memberships.suspend(consoleRequest.ctx, userId, appId);
        done++;
      } catch (error) {
        if (!(error instanceof Refusal) || error.kind === 'forbidden') throw error;
      }
    }
    const left = picked.length - done;
    return `${counted(done)} suspended${left > 0 ? `; ${counted(left)} left as they were` : ''}.`;
  }
}

/** As many as a page of the list has. */
function pickedOf(fields: Readonly<Record<string, unknown>>): string[] {
  return Object.keys(fields)
    .flatMap((name) => PICKED.exec(name)?.[1] ?? [])
    .slice(0, CONSOLE_PAGE_SIZE);
}

function counted(count: number): string {
  return `${count} ${count === 1 ? 'person' : 'people'}`;
}
