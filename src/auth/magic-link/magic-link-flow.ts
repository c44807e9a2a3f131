import { Inject, Injectable, Logger } from '@nestjs/common';
import type { Request, Response } from 'express';
import type { EntityManager } from 'typeorm';
import { AppDirectory, type KnownApp } from '../../apps/app-directory.js';
import { matchesRedirectUri } from '../../apps/redirect-uri.rules.js';
import { answerPrefetch } from '../../common/http/prefetch.js';
import { redirectTo } from '../../common/http/redirect-to.js';
import type { RequestContext } from '../../common/request-context.js';
import { SETTINGS, type Settings } from '../../config/settings.js';
import type { MailLink } from '../email-links/mail-link.entity.js';
import { allowsMethod } from '../entry/allows-method.rules.js';
import type { AuthorizationRequest } from '../hosted-sign-in/authorization-request.js';
import { type RawParameters, readRequest } from '../hosted-sign-in/authorization-request.rules.js';
import { BrowserBinding } from '../session/browser-binding.js';
import { ProvenSignIn } from '../hosted-sign-in/proven-sign-in.js';
import { SpentLink } from '../hosted-sign-in/spent-link.js';
import { FORM_FOR_ANOTHER, formOf, MagicLinkPages, requestIn } from './magic-link-pages.js';
import { MagicLinkService } from './magic-link.service.js';

/** Magic links over HTTP: the page behind the mailed address, and the one request that uses the link up. */
@Injectable()
export class MagicLinkFlow {
  private readonly logger = new Logger(MagicLinkFlow.name);

  constructor(
    private readonly magicLinks: MagicLinkService,
    private readonly directory: AppDirectory,
    private readonly signIns: ProvenSignIn,
    private readonly browser: BrowserBinding,
    private readonly pages: MagicLinkPages,
    private readonly spentLink: SpentLink,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  /**
   * What the app asks for beside the address, checked now so that the link can only lead where it may. Null where it
   * could lead nowhere: no mail goes out then, and the answer is the same 200 as for an unknown app or address.
   */
  async readRequest(appId: string, raw: RawParameters): Promise<AuthorizationRequest | null> {
    const known = await this.directory.findOpen(appId);
    if (known && known.redirectUris.length === 0 && allowsMethod(known.app, 'magic_link'))
      this.logger.warn({ app_id: appId, message: 'A sign-in link was asked for, but the app has no redirect URI' });
    const given = raw['redirect_uri'];
    const redirectUri = given ?? known?.redirectUris[0];
    if (
      !known ||
      typeof redirectUri !== 'string' ||
      !matchesRedirectUri(known.redirectUris, redirectUri, this.settings.baseUrl)
    )
      return null;
    const read = readRequest(raw, redirectUri, known.app.config);
    return 'fault' in read ? null : read.request;
  }

  /** GET of the mailed address: says where it leads and as whom, uses nothing up. */
  async showPage(token: string, request: Request, response: Response): Promise<void> {
    const { link, known } = await this.find(token);
    const isUsable = link && known && (await this.magicLinks.isUsable(token));
    if (isUsable) await this.pages.showQuestion(token, link, known, request, response);
    else await this.pages.showSpent(token, link, known, request, response);
  }

  /**
   * GET /auth/magic-link/verify, the address of the page's form. HEAD and prefetching use nothing up, and a link that
   * somebody follows from anywhere else signs nobody in: it may be another's link, and the account another's.
   */
  async verify(ctx: RequestContext, token: string, request: Request, response: Response): Promise<void> {
    if (answerPrefetch(request, response)) return;
    const { link, known } = await this.find(token);
    const fail = () => this.fail(link, known, request, response);
    const target = link && requestIn(link);
    if (!link || !known || !target || !allowsMethod(known.app, 'magic_link')) return fail();
    // The app may have taken the address back since the link was asked for.
    const leadsHome = target.purpose === 'account';
    if (!leadsHome && !matchesRedirectUri(known.redirectUris, target.redirectUri, this.settings.baseUrl)) return fail();
    if (!this.browser.isSentFromOwnPage(request, formOf(token))) {
      if (!(await this.magicLinks.isUsable(token))) return fail();
      return redirectTo(response, `/magic-link?${query({ token })}`, 303);
    }
    const prove = (tx: EntityManager) => this.magicLinks.redeem(tx, ctx, token);
    if (!(await this.signIns.enter({ ctx, request, response }, known, target, prove))) await fail();
  }

  private async fail(
    link: MailLink | null,
    known: KnownApp | null,
    request: Request,
    response: Response,
  ): Promise<void> {
    const target = await this.spentLink.leadBack(known, link && requestIn(link), request, response);
    redirectTo(response, target);
  }

  /** POST /magic-link/again: a new link to the same address. The same words whether one was sent or not. */
  async renew(ctx: RequestContext, token: string, request: Request, response: Response): Promise<void> {
    this.browser.checkForm(request, FORM_FOR_ANOTHER);
    const { known } = await this.find(token);
    await this.magicLinks.renew(ctx, token);
    await this.pages.showSent(known, response);
  }

  private async find(token: string): Promise<{ link: MailLink | null; known: KnownApp | null }> {
    const link = await this.magicLinks.find(token);
    return { link, known: link?.appId ? await this.directory.findOpen(link.appId) : null };
  }
}

function query(parameters: Readonly<Record<string, string>>): string {
  return new URLSearchParams(parameters).toString();
}
