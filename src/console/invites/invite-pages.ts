import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { canAdministerApp } from '../../common/actor.js';
import { Clock } from '../../common/clock.js';
import { timeInWords } from '../../common/pages/time-in-words.js';
import { isUuid } from '../../common/validation/fields.js';
import type { ShownInvite } from '../../invites/invite.view.js';
import { InvitesService } from '../../invites/invites.service.js';
import { ConsolePages } from '../frame/console-pages.js';
import type { ConsoleRequest } from '../frame/console-request.js';
import { appChoices, OwnApps } from '../frame/own-apps.js';
import { CONSOLE_PAGE_SIZE, pagerOf } from '../frame/pager.js';
import { column } from '../frame/table-column.js';
import { inviteState } from './invite-state.js';

const COLUMNS = [
  column('For'),
  column('Code'),
  column('State'),
  column('Used', { className: 'number' }),
  column('Ends'),
  column('Actions'),
];

/** The list of invites. */
@Injectable()
export class InvitePages {
  constructor(
    private readonly invites: InvitesService,
    private readonly apps: OwnApps,
    private readonly pages: ConsolePages,
    private readonly clock: Clock,
  ) {}

  /** @param asked of which app, and what was typed to find another */
  async show(
    consoleRequest: ConsoleRequest,
    asked: { readonly appId: unknown; readonly search: unknown },
    page: number,
    request: Request,
    response: Response,
  ): Promise<void> {
    const named = isUuid(asked.appId) ? asked.appId.toLowerCase() : null;
    const selection = await this.apps.select(consoleRequest, asked.search, named, 'visible');
    const { apps } = selection;
    const wanted = selection.hit?.id ?? named ?? apps[0]?.id ?? null;
    const limit = CONSOLE_PAGE_SIZE;
    const found = wanted
      ? await this.invites.list(consoleRequest.ctx, wanted, { page, limit })
      : { invites: [], total: 0 };
    const app = apps.find(({ id }) => id === wanted) ?? null;
    const mayChange = app !== null && canAdministerApp(consoleRequest.actor, app);
    await this.pages.show(consoleRequest, response, {
      view: 'invites/list',
      title: 'Invites',
      area: 'invites',
      tenantId: app?.tenantId,
      model: {
        appId: app?.id ?? null,
        appName: app?.name ?? '',
        auditUrl: mayChange
          ? `/console/audit?${new URLSearchParams({ app_id: app.id, action: 'invite.created' }).toString()}`
          : null,
        options: appChoices(apps, wanted),
        appSearch: selection.search,
        isSearchable: selection.isSearchable,
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
      who: email ?? 'Anyone with the code',
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

function day(at: Date): string {
  return at.toLocaleDateString('en-GB', { day: 'numeric', month: 'long', year: 'numeric', timeZone: 'UTC' });
}
