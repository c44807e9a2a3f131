import { Inject, Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { Clock } from '../../common/clock.js';
import { timeInWords } from '../../common/pages/time-in-words.js';
import { SETTINGS, type Settings } from '../../config/settings.js';
import { isRenewable } from '../../invites/invite/invite.rules.js';
import { type InviteOfApp, InviteList } from '../../invites/list/invite-list.service.js';
import { ConsolePages } from '../frame/pages/console-pages.js';
import { confirmIdentityPath } from '../frame/requests/console.errors.js';
import type { ConsoleRequest } from '../frame/requests/console-request.js';
import { type AppSelection, appChoices, type OwnApp, OwnApps } from '../frame/requests/own-apps.js';
import { pagerOf } from '../frame/lists/pager.js';
import { column } from '../frame/lists/table-column.js';
import { longDate } from '../frame/lists/long-date.js';
import { type InviteListForm, stateOptions } from './invite-filter.js';
import { inviteLink } from './invite-link.js';
import { inviteState, usesInWords } from './invite-state.js';

const COLUMNS = [
  column('For'),
  column('App'),
  column('Code'),
  column('State'),
  column('Used', { className: 'number' }),
  column('Ends', { className: 'col-when' }),
  column('Actions', { className: 'col-act' }),
];

/** The list of invites, and the choice of an app for a new one. */
@Injectable()
export class InvitePages {
  constructor(
    private readonly invites: InviteList,
    private readonly apps: OwnApps,
    private readonly pages: ConsolePages,
    private readonly clock: Clock,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  /** @throws InsufficientPermissions for an app outside the operator's authority */
  async show(
    consoleRequest: ConsoleRequest,
    form: InviteListForm,
    request: Request,
    response: Response,
  ): Promise<void> {
    const { search, state, page } = form;
    const selection = await this.apps.select(consoleRequest, form.appSearch, form.appId, { which: 'visible' });
    const app = selection.hit ?? selection.apps.find(({ id }) => id === form.appId) ?? null;
    const ctx = app ? consoleRequest.ctx : consoleRequest.listCtx;
    const filter = { ...(app ? { appId: app.id } : {}), ...(state ? { state } : {}), search, ...page };
    const { invites, hasMore, isCut } = await this.invites.page(ctx, filter);
    const total = hasMore ? null : (page.page - 1) * page.limit + invites.length;
    await this.pages.show(consoleRequest, response, {
      view: 'invites/list',
      title: 'Invites',
      area: 'invites',
      tenantId: app?.tenantId,
      model: {
        ...choiceOf(selection, app, 'All apps'),
        q: search,
        isCut,
        states: stateOptions(state),
        isFiltered: app !== null || state !== null || search !== '',
        newUrl: app ? newInviteUrl(app.id) : '/console/invites/new',
        auditUrl: `/console/audit?${new URLSearchParams({ action: 'invite.created', ...(app ? { app_id: app.id } : {}) }).toString()}`,
        columns: COLUMNS,
        invites: invites.map((each) => this.row(each)),
        confirmUrl: confirmIdentityPath(request.originalUrl),
        pager: pagerOf(request, { ...page, total, count: invites.length, hasMore }),
      },
    });
  }

  /** Asks for the app of the new invite. */
  async askForApp(
    consoleRequest: ConsoleRequest,
    { search, isLacking }: { readonly search: unknown; readonly isLacking: boolean },
    response: Response,
  ): Promise<void> {
    const offer = { which: 'visible', origin: 'operator' } as const;
    const selection = await this.apps.select(consoleRequest, search, null, offer);
    await this.pages.show(consoleRequest, response, {
      view: 'invites/new',
      title: 'New invite',
      area: 'invites',
      crumbs: [{ label: 'Invites', href: '/console/invites' }],
      status: isLacking ? 422 : 200,
      model: {
        ...choiceOf(selection, selection.hit, 'Choose an app'),
        errors: isLacking ? [{ field: 'app_id', message: 'Choose an app.' }] : [],
        hasApps: selection.apps.length > 0,
      },
    });
  }

  private row({ invite, status, code, isCodeWithheld, app, isGoverned }: InviteOfApp) {
    const { id, email, roles, useCount, maxUses, expiresAt } = invite;
    const isOpen = status === 'usable';
    return {
      who: email ?? 'Anyone with the code',
      roles: roles.join(', '),
      appName: app.isConsoleApp ? `Console of ${app.tenantName}` : app.name,
      appUrl: `/console/apps/${app.id}/invites`,
      tenantName: app.tenantName,
      code: isOpen ? code : null,
      isCodeWithheld: isOpen && isCodeWithheld,
      link: code && inviteLink(this.settings.baseUrl, code),
      state: inviteState({ invite, status }),
      used: usesInWords({ useCount, maxUses }),
      ends: { ...timeInWords(expiresAt, this.clock.now()), words: longDate(expiresAt) },
      resendUrl: isGoverned && isRenewable(app, invite) ? `/console/invites/${id}/resend` : null,
      revokeUrl: isGoverned && (isOpen || status === 'lapsed') ? `/console/invites/${id}/revoke` : null,
    };
  }
}

/** Path of the form for a new invite. */
export function newInviteUrl(appId: string): string {
  return `/console/apps/${appId}/invites#new-invite`;
}

function choiceOf({ apps, search, isSearchable }: AppSelection, chosen: OwnApp | null, none?: string) {
  return { apps: appChoices(apps, chosen?.id, none), appSearch: search, isSearchable };
}
