import { Injectable } from '@nestjs/common';
import type { Response } from 'express';
import type { App } from '../../../apps/app/app.entity.js';
import { AppsService } from '../../../apps/directory/apps.service.js';
import type { FormError } from '../../../common/pages/form-error.js';
import type { Flash } from '../../../operators/session/console-session.entity.js';
import { type Confirmation, PLAIN_CONFIRMATION } from '../../frame/pages/confirmation.js';
import { ConsolePages } from '../../frame/pages/console-pages.js';
import type { ConsoleRequest } from '../../frame/requests/console-request.js';
import { appHead, appPath, type AppTab, listCrumb, tabLabel, tabsFor } from './app-tabs.js';

export interface AppPage {
  readonly tab: AppTab;
  /** Path under `views/console/apps/`; by default that of the tab. */
  readonly view?: string;
  /** Title of a page under the tab. */
  readonly title?: string;
  readonly errors?: readonly FormError[];
  /** See `Page.hasFrame`. */
  readonly hasFrame?: true;
  readonly model: Readonly<Record<string, unknown>>;
}

export type Question = Pick<Confirmation, 'title' | 'lead' | 'action' | 'button'> & Partial<Confirmation>;

/** The pages of an app, with a common header and tabs. */
@Injectable()
export class AppPages {
  constructor(
    private readonly apps: AppsService,
    private readonly pages: ConsolePages,
  ) {}

  /** @throws AppNotFound (for platform admins only), InsufficientPermissions */
  governed(consoleRequest: ConsoleRequest, id: string): Promise<App> {
    return this.apps.getGoverned(consoleRequest.ctx, id);
  }

  show(consoleRequest: ConsoleRequest, response: Response, app: App, page: AppPage): Promise<void> {
    const { tab, errors = [] } = page;
    const label = page.title ?? tabLabel(tab);
    return this.pages.show(consoleRequest, response, {
      view: `apps/${page.view ?? tab}`,
      title: tab === 'overview' && !page.title ? app.name : label,
      area: 'apps',
      tenantId: app.tenantId,
      crumbs: [listCrumb(consoleRequest), ...crumbsTo(app, tab).slice(0, page.title ? undefined : -1)],
      status: errors.length > 0 ? 422 : 200,
      hasFrame: page.hasFrame,
      model: { ...page.model, errors, app: appHead(app, consoleRequest), tabs: tabsFor(consoleRequest, app, tab) },
    });
  }

  /** Breadcrumbs of a page under a tab. */
  navigationBelow(consoleRequest: ConsoleRequest, app: App, tab: AppTab) {
    const crumbs = [listCrumb(consoleRequest), ...crumbsTo(app, tab)];
    return { area: 'apps' as const, tenantId: app.tenantId, crumbs };
  }

  /** Asks for confirmation before an action that cannot be undone or that interrupts users. */
  ask(consoleRequest: ConsoleRequest, response: Response, app: App, tab: AppTab, question: Question): Promise<void> {
    return this.pages.confirm(consoleRequest, response, {
      ...PLAIN_CONFIRMATION,
      ...this.navigationBelow(consoleRequest, app, tab),
      isDanger: true,
      cancelUrl: appPath(app, tab),
      status: question.errors?.length ? 422 : 200,
      ...question,
    });
  }

  /** After an action: redirects to a page of the app, which shows what was done. */
  redirectWithFlash(
    consoleRequest: ConsoleRequest,
    response: Response,
    path: string,
    text: string | null,
    kind?: Flash['kind'],
  ): Promise<void> {
    return this.pages.redirectWithFlash(consoleRequest, response, path, text, kind);
  }
}

/** The app, and the tab unless it is the first one. */
function crumbsTo(app: App, tab: AppTab) {
  const home = { label: app.name, href: appPath(app) };
  return tab === 'overview' ? [home] : [home, { label: tabLabel(tab), href: appPath(app, tab) }];
}
