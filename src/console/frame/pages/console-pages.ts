import { Injectable } from '@nestjs/common';
import type { Response } from 'express';
import { redirectTo } from '../../../common/http/redirect-to.js';
import type { Text } from '../../../common/i18n/message.js';
import { BrowserBinding } from '../../../auth/session/browser-binding.js';
import { Clock } from '../../../common/clock.js';
import { PageRenderer } from '../../../common/pages/page-renderer.js';
import { type Theme, themeOf } from '../../../common/pages/brand/theme.js';
import type { Flash } from '../../../operators/session/console-session.entity.js';
import { ConsoleSessionsService } from '../../../operators/session/console-sessions.service.js';
import type { Confirmation } from './confirmation.js';
import type { ConsoleRequest } from '../requests/console-request.js';
import { documentTitle } from './document-title.js';
import { FrameReader } from './frame-facts.js';
import type { Area, Crumb } from './navigation.js';

/** A console page. `model` also gets `formToken` and, unless it has its own, empty `errors`. */
export interface ConsolePageContent {
  /** Path under `views/console/`, for example `tenants/list`. */
  readonly view: string;
  /** Name of the page: last breadcrumb and `<title>`; the view's `<h1>` has the same text. */
  readonly title: Text;
  /** Its entry in the navigation. */
  readonly area: Area | null;
  /** Tenant of the object on the page: see {@link TenantSwitch.follow}. */
  readonly tenantId?: string | null;
  /** The pages above it, from the top, without the overview and the page itself. */
  readonly crumbs?: readonly Crumb[];
  readonly status?: number;
  /** Text of the search field. */
  readonly search?: string;
  /** Without scripts, the page reloads after this time; with scripts, it updates itself. */
  readonly refreshSeconds?: number;
  /** See `Page.hasFrame`. */
  readonly hasFrame?: true;
  readonly model: Readonly<Record<string, unknown>>;
}

/** Sends pages in the console's frame. After an action: a redirect and a message on the next page. */
@Injectable()
export class ConsolePages {
  constructor(
    private readonly sessions: ConsoleSessionsService,
    private readonly reader: FrameReader,
    private readonly browser: BrowserBinding,
    private readonly pages: PageRenderer,
    private readonly clock: Clock,
  ) {}

  async show(consoleRequest: ConsoleRequest, response: Response, page: ConsolePageContent): Promise<void> {
    const frame = await this.frame(consoleRequest, response, page);
    // Cleared before the response, so that the browser's next request does not show it again.
    if (response.req.method !== 'HEAD') await this.sessions.clearFlash(consoleRequest.session);
    await this.pages.send(response, {
      view: `console/${page.view}`,
      layout: 'console',
      title: documentTitle(page.title, page.crumbs),
      status: page.status ?? 200,
      hasFrame: page.hasFrame,
      model: {
        errors: [],
        ...page.model,
        formToken: consoleRequest.formToken,
        frame,
      },
    });
  }

  /** Asks for confirmation before an action that cannot be undone, or before a link from another site has an effect. */
  confirm(consoleRequest: ConsoleRequest, response: Response, confirmation: Confirmation): Promise<void> {
    const { area, tenantId, crumbs, status, title, ...model } = confirmation;
    return this.show(consoleRequest, response, {
      view: 'confirm',
      title,
      area,
      tenantId,
      crumbs,
      status,
      model: { heading: title, ...model },
    });
  }

  /** After an action: 303 See Other, and the next page shows the message. @param text ends with a full stop */
  async redirectWithFlash(
    consoleRequest: ConsoleRequest,
    response: Response,
    location: string,
    text: string | null,
    kind: Flash['kind'] = 'done',
  ): Promise<void> {
    if (text) await this.sessions.setFlash(consoleRequest.session, { kind, text });
    redirectTo(response, location);
  }

  private async frame(consoleRequest: ConsoleRequest, response: Response, page: ConsolePageContent) {
    const { actor, impersonation, session } = consoleRequest;
    const { flash } = session;
    return {
      ...(await this.reader.read(consoleRequest, response, page)),
      signedInAs: actor.email,
      path: response.req.method === 'GET' ? response.req.originalUrl : '/console/',
      themes: themeChoices(themeOf(response.req)),
      signOutToken: this.browser.formToken(this.browser.ensure(response.req, response), SIGN_OUT_PURPOSE),
      crumbs:
        page.area === 'overview' && !page.crumbs
          ? []
          : [{ label: 'Overview', href: '/console/' }, ...(page.crumbs ?? [])],
      title: page.title,
      search: page.search ?? '',
      refreshSeconds: page.refreshSeconds ?? null,
      flash: flash && { ...flash, icon: flash.kind === 'done' ? 'circle-check' : 'triangle-alert' },
      impersonation: impersonation && {
        kind: impersonation.type === 'tenant' ? 'tenant' : 'app',
        name: impersonation.name,
        reason: impersonation.reason,
        minutesLeft: Math.max(1, Math.ceil((impersonation.until.getTime() - this.clock.now().getTime()) / 60_000)),
        exitAction: impersonation.type === 'tenant' ? '/console/impersonate-exit' : '/console/impersonate-app-exit',
        formToken: consoleRequest.formToken,
      },
    };
  }
}

/** The themes in addition to the system's. */
function themeChoices(current: Theme) {
  return [
    { name: 'light', label: 'Light', icon: 'sun', isCurrent: current === 'light' },
    { name: 'dark', label: 'Dark', icon: 'moon', isCurrent: current === 'dark' },
  ];
}

/** Purpose of the form token of sign-out: it also works after the console session has ended. */
export const SIGN_OUT_PURPOSE = 'console-logout';
