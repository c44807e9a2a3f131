import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import type { RequestContext } from '../../common/request-context.js';
import { BrowserBinding } from '../session/browser-binding.js';
import { NEW_LINK_PURPOSE, MagicLinkPages } from './magic-link-pages.js';
import { MagicLinkRequests } from './magic-link-requests.service.js';
import { MagicLinkService } from './magic-link.service.js';

/** The page that the mailed link opens, and its form that requests another link. */
@Injectable()
export class MagicLinkViews {
  constructor(
    private readonly magicLinks: MagicLinkService,
    private readonly requests: MagicLinkRequests,
    private readonly browser: BrowserBinding,
    private readonly pages: MagicLinkPages,
  ) {}

  /** GET of the mailed link: shows the app and the account. Does not use up the link. */
  async showPage(token: string, request: Request, response: Response): Promise<void> {
    const { link, client } = await this.magicLinks.find(token);
    const isUsable = link && client && (await this.magicLinks.isUsable(token));
    if (isUsable) await this.pages.showQuestion(token, link, client, request, response);
    else await this.pages.showSpent(token, link, client, request, response);
  }

  /**
   * POST /magic-link/again: requests a new link to the same address. The page is the same whether a link was sent or
   * not.
   */
  async renew(ctx: RequestContext, token: string, request: Request, response: Response): Promise<void> {
    this.browser.checkForm(request, NEW_LINK_PURPOSE);
    const { client } = await this.magicLinks.find(token);
    await this.requests.renew(ctx, token);
    await this.pages.showSent(client, response);
  }
}
