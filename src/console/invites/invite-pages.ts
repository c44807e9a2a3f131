import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { AppsService } from '../../apps/apps.service.js';
import type { App } from '../../apps/app.entity.js';
import { governsApp } from '../../common/actor.js';
import { Clock } from '../../common/clock.js';
import { timeInWords } from '../../common/pages/time-in-words.js';
import { isUuid } from '../../common/validation/fields.js';
import type { ShownInvite } from '../../invites/invite.view.js';
import { InvitesService } from '../../invites/invites.service.js';
import { ConsolePages } from '../frame/console-pages.js';
import type { ConsoleVisit } from '../frame/console-visit.js';
import { CONSOLE_PAGE_SIZE, pagerOf } from '../frame/pager.js';
import { column } from '../frame/table-column.js';
import { inviteState } from './invite-state.js';

/** Apps to choose from; beyond it the app's own page is the way. */
const APPS = 200;
const COLUMNS = [
  column('For'),
  column('Code', { className: 'col-code' }),
  column('State', { className: 'col-state' }),
  column('Used', { className: 'col-number number' }),
  column('Ends', { className: 'col-when' }),
  column('Act', { className: 'col-acts' }),
];

/** The list of invites. */
@Injectable()
export class InvitePages {
  constructor(
    private readonly invites: InvitesService,
    private readonly apps: AppsService,
    private readonly pages: ConsolePages,
    private readonly clock: Clock,
  ) {}

  async show(visit: ConsoleVisit, asked: unknown, page: number, request: Request, response: Response): Promise<void> {
    const { apps } = await this.apps.list(visit.ctx, { page: 1, limit: APPS });
    const wanted = isUuid(asked) ? asked.toLowerCase() : (apps[0]?.id ?? null);
    const limit = CONSOLE_PAGE_SIZE;
    const found = wanted ? await this.invites.list(visit.ctx, wanted, { page, limit }) : { invites: [], total: 0 };
    const app = wanted ? (apps.find(({ id }) => id === wanted) ?? (await this.apps.get(wanted))) : null;
    const mayChange = app !== null && governsApp(visit.actor, app);
    await this.pages.show(visit, response, {
      view: 'invites/list',
      title: 'Invites',
      area: 'invites',
      model: {
        appId: app?.id ?? null,
        appName: app?.name ?? '',
        options: optionsOf(app && !apps.includes(app) ? [app, ...apps] : apps, wanted),
        columns: COLUMNS,
        invites: found.invites.map((each) => this.row(each, mayChange)),
        total: found.total,
        pager: pagerOf(request, { page, limit, total: found.total, count: found.invites.length }),
      },
    });
  }

  private row({ invite, status, code }: ShownInvite, mayChange: boolean) {
    const state = inviteState({ invite, status });
    const { id, email, roles, useCount, maxUses, expiresAt } = invite;
    return {
      id,
      who: email ?? 'Whoever has the code',
      roles: roles.join(', '),
      code,
      state: state.text,
      tone: state.tone,
      used: `${useCount.toLocaleString('en')} of ${maxUses.toLocaleString('en')}`,
      ends: { ...timeInWords(expiresAt, this.clock.now()), words: day(expiresAt) },
      isOpen: mayChange && status === 'usable',
    };
  }
}

function optionsOf(apps: readonly App[], chosen: string | null) {
  return apps.map(({ id, name }) => ({ value: id, label: name, isChosen: id === chosen }));
}

function day(at: Date): string {
  return at.toLocaleDateString('en-GB', { day: 'numeric', month: 'long', year: 'numeric', timeZone: 'UTC' });
}
