import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import type { EntityManager } from 'typeorm';
import { AppDirectory, type KnownApp } from '../../apps/app-directory.js';
import { formTarget, matchesRedirectUri } from '../../apps/redirect-uri.rules.js';
import { isLook } from '../../common/http/is-look.js';
import { PageRenderer } from '../../common/pages/page-renderer.js';
import type { RequestContext } from '../../common/request-context.js';
import { appBrand } from '../../apps/app-brand.js';
import type { MailLink } from '../links/mail-link.entity.js';
import { offers } from '../offers.rules.js';
import type { AuthorizationRequest } from '../sign-in/authorization-request.js';
import { type RawParameters, readRequest } from '../sign-in/authorization-request.rules.js';
import { BrowserBinding } from '../sign-in/browser-binding.js';
import { SignInFlow } from '../sign-in/sign-in-flow.js';
import { MagicLinkService } from './magic-link.service.js';

const AGAIN = 'magic-link-again';

/** Magic links over HTTP: the page behind the mailed address, and the one request that uses the link up. */
@Injectable()
export class MagicLinkFlow {
  constructor(
    private readonly magicLinks: MagicLinkService,
    private readonly directory: AppDirectory,
    private readonly signIns: SignInFlow,
    private readonly browser: BrowserBinding,
    private readonly pages: PageRenderer,
  ) {}

  /**
   * What the app asks for beside the address, checked now so that the link can only lead where it may. Null where it
   * could lead nowhere: no mail goes out then, and the answer is the same 200 as for an unknown app or address.
   */
  async readRequest(appId: string, raw: RawParameters): Promise<AuthorizationRequest | null> {
    const known = await this.directory.findOpen(appId);
    const given = raw['redirect_uri'];
    const redirectUri = given ?? known?.redirectUris[0];
    if (!known || typeof redirectUri !== 'string' || !matchesRedirectUri(known.redirectUris, redirectUri)) return null;
    const read = readRequest(raw, redirectUri);
    return 'fault' in read ? null : read.request;
  }

  /** GET of the mailed address: says where it leads, uses nothing up. */
  async showPage(token: string, request: Request, response: Response): Promise<void> {
    const link = await this.magicLinks.find(token);
    const known = link?.appId ? await this.directory.findOpen(link.appId) : null;
    if (!link || !known || !(await this.magicLinks.isUsable(token)))
      return this.showSpent(token, link, known, request, response);
    await this.pages.send(response, {
      view: 'sign-in/magic-link',
      title: `Sign in to ${known.app.name}`,
      brand: appBrand(known),
      formTargets: targetsOf(link),
      model: { action: '/auth/magic-link/verify', token },
    });
  }

  /** GET /auth/magic-link/verify. HEAD and prefetching use nothing up. */
  async verify(ctx: RequestContext, token: string, request: Request, response: Response): Promise<void> {
    if (isLook(request)) {
      response.status(204).end();
      return;
    }
    const link = await this.magicLinks.find(token);
    const known = link?.appId ? await this.directory.findOpen(link.appId) : null;
    const target = link && requestOf(link);
    if (!link || !known || !target || !offers(known.app, 'magic_link')) return this.fail(link, response);
    // The app may have taken the address back since the link was asked for.
    const leadsHome = target.purpose === 'account';
    if (!leadsHome && !matchesRedirectUri(known.redirectUris, target.redirectUri)) return this.fail(link, response);
    const prove = (tx: EntityManager) => this.magicLinks.redeem(tx, ctx, token);
    if (!(await this.signIns.enter(ctx, known, target, prove, request, response))) this.fail(link, response);
  }

  private fail(link: MailLink | null, response: Response): void {
    const target = link && requestOf(link);
    const parameters = new URLSearchParams({ error: 'invalid_magic_link' });
    if (link?.appId && target) {
      parameters.set('app_id', link.appId);
      parameters.set('redirect_uri', target.redirectUri);
      if (target.state !== null) parameters.set('state', target.state);
    }
    response.setHeader('Cache-Control', 'no-store');
    response.redirect(302, `/login?${parameters.toString()}`);
  }

  /** POST /magic-link/again: a new link to the same address. The same words whether one was sent or not. */
  async renew(token: string, request: Request, response: Response): Promise<void> {
    this.browser.checkForm(request, AGAIN);
    const link = await this.magicLinks.find(token);
    const known = link?.appId ? await this.directory.findOpen(link.appId) : null;
    await this.magicLinks.renew(token);
    const heading = 'Look into your mailbox';
    const message = 'A new link is on its way to the same address. It holds for 10 minutes and works once.';
    const brand = known ? appBrand(known) : undefined;
    await this.pages.send(response, { view: 'sign-in/done', title: heading, brand, model: { heading, message } });
  }

  private async showSpent(
    token: string,
    link: MailLink | null,
    known: KnownApp | null,
    request: Request,
    response: Response,
  ): Promise<void> {
    const renewable = link && known && requestOf(link);
    await this.pages.send(response, {
      view: 'sign-in/link-spent',
      title: 'This link does not work any more',
      status: 410,
      brand: known ? appBrand(known) : undefined,
      model: {
        heading: 'This link does not work any more',
        message: 'A sign-in link works once and for 10 minutes, and a newer one ends the older ones.',
        again: renewable
          ? {
              action: '/magic-link/again',
              token,
              formToken: this.browser.formToken(this.browser.ensure(request, response), AGAIN),
            }
          : null,
      },
    });
  }
}

function requestOf(link: MailLink): AuthorizationRequest | null {
  return link.request as AuthorizationRequest | null;
}

function targetsOf(link: MailLink): string[] {
  const target = requestOf(link);
  return target ? [formTarget(target.redirectUri)] : [];
}
