import { Inject, Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { message } from '../../../common/i18n/message.js';
import { inAscii, redirectTo } from '../../../common/http/redirect-to.js';
import type { Brand } from '../../../common/pages/brand/brand.js';
import { PageRenderer } from '../../../common/pages/page-renderer.js';
import { SETTINGS, type Settings } from '../../../config/settings.js';

/**
 * Redirects of the hosted pages, including those to other sites: 302 after GET and 303 after POST, never one that would
 * repeat a body with credentials (RFC 9700 section 4.12).
 *
 * Chromium applies a page's `form-action` to every redirect after its form, including those of the app, and the service
 * does not know where an app redirects to. So a browser that comes from a page of the service gets an intermediate page
 * that continues automatically (docs/decisions/0035): it ends the form submission, so that the policy can list single
 * origins.
 */
@Injectable()
export class OnwardRedirect {
  private readonly origin: string;

  constructor(
    private readonly pages: PageRenderer,
    @Inject(SETTINGS) settings: Settings,
  ) {
    this.origin = new URL(settings.baseUrl).origin;
  }

  async send(request: Request, response: Response, location: string): Promise<void> {
    if (isFromOwnPage(request) && this.leavesForAnotherSite(location)) return this.goOn(response, location);
    redirectTo(response, location);
  }

  /**
   * Redirects to a native app by its URL scheme. The app opens, but the browser keeps showing our page, so a page that
   * says so replaces the form, which would otherwise seem to wait forever. Its button opens the app on systems that
   * require a tap.
   */
  async openApp(request: Request, response: Response, location: string, brand: Brand): Promise<void> {
    if (!isFromOwnPage(request) || isWeb(location)) return this.send(request, response, location);
    response.setHeader('Refresh', `0; url=${inAscii(location)}`);
    const names = { app: brand.appName };
    await this.pages.send(response, {
      view: 'sign-in/done',
      title: message('sign-in.app_opens.heading'),
      brand,
      model: {
        heading: message('sign-in.app_opens.heading'),
        message: message('sign-in.app_opens.lead', names),
        action: { href: location, label: message('sign-in.app_opens.open', names) },
      },
    });
  }

  private leavesForAnotherSite(location: string): boolean {
    return isWeb(location) && new URL(location).origin !== this.origin;
  }

  /**
   * Browsers replace this page with the next one in the history, so going back skips it and does not repeat the code.
   */
  private async goOn(response: Response, location: string): Promise<void> {
    const { href } = new URL(location);
    response.setHeader('Refresh', `0; url=${href}`);
    await this.pages.send(response, {
      view: 'sign-in/onward',
      title: message('sign-in.onward.heading'),
      model: { href },
    });
  }
}

function isWeb(location: string): boolean {
  return /^https?:/i.test(location);
}

/**
 * Whether, by Fetch Metadata, the navigation began on one of our pages and has since been redirected only through our
 * own URLs.
 */
function isFromOwnPage({ headers }: Request): boolean {
  return (
    headers['sec-fetch-site'] === 'same-origin' &&
    headers['sec-fetch-mode'] === 'navigate' &&
    headers['sec-fetch-dest'] === 'document'
  );
}
