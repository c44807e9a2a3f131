import { Inject, Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import type { EntityManager } from 'typeorm';
import type { RegisteredClient } from '../../apps/directory/app-directory.js';
import { matchesRedirectUri } from '../../apps/app/redirect-uri.rules.js';
import { answerPrefetch } from '../../common/http/browser/prefetch.js';
import { redirectTo } from '../../common/http/redirect-to.js';
import type { RequestContext } from '../../common/request-context.js';
import { SETTINGS, type Settings } from '../../config/settings.js';
import type { MailLink } from '../email-links/mail-link.entity.js';
import { allowsMethod } from '../entry/methods/allows-method.rules.js';
import { BrowserBinding } from '../session/browser-binding.js';
import { signInClient } from '../hosted-sign-in/authorization-request/account-client.js';
import { endsHere } from '../hosted-sign-in/authorization-request/authorization-request.js';
import { ProvenSignIn } from '../hosted-sign-in/start/proven-sign-in.js';
import { UsedLink } from '../hosted-sign-in/start/used-link.js';
import { formOf, requestIn } from './magic-link-pages.js';
import { MagicLinkService } from './magic-link.service.js';

/** The request that uses up a sign-in link. */
@Injectable()
export class MagicLinkFlow {
  constructor(
    private readonly magicLinks: MagicLinkService,
    private readonly signIns: ProvenSignIn,
    private readonly browser: BrowserBinding,
    private readonly spentLink: UsedLink,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  /**
   * GET /auth/magic-link/verify, to which the page's form submits. HEAD requests and prefetching do not use up the
   * link. A request that does not come from the form does not sign in: the link and the account may be another user's.
   */
  async verify(ctx: RequestContext, token: string, request: Request, response: Response): Promise<void> {
    if (answerPrefetch(request, response)) return;
    const { link, client } = await this.magicLinks.find(token);
    const fail = () => this.fail(link, client, request, response);
    const target = link && requestIn(link);
    if (!link || !client || !target || !allowsMethod(signInClient(target, client).app, 'magic_link')) return fail();
    // The app may have removed the redirect URI since the link was requested.
    if (!endsHere(target) && !matchesRedirectUri(client.redirectUris, target.redirectUri, this.settings.baseUrl))
      return fail();
    if (!this.browser.isSentByOwnForm(request, formOf(token))) {
      if (!(await this.magicLinks.isUsable(token))) return fail();
      return redirectTo(response, `/magic-link?${query({ token })}`, 303);
    }
    const prove = (tx: EntityManager) => this.magicLinks.redeem(tx, ctx, token);
    if (!(await this.signIns.enter({ ctx, request, response }, client, target, prove))) await fail();
  }

  private async fail(
    link: MailLink | null,
    client: RegisteredClient | null,
    request: Request,
    response: Response,
  ): Promise<void> {
    const target = await this.spentLink.leadBack(client, link && requestIn(link), request, response);
    redirectTo(response, target);
  }
}

function query(parameters: Readonly<Record<string, string>>): string {
  return new URLSearchParams(parameters).toString();
}
