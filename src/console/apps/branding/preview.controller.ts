import { Controller, Get, Header, Inject, Param, Query, Res } from '@nestjs/common';
import type { Response } from 'express';
import { SignInPreview } from '../../../auth/hosted-sign-in/pages/sign-in-preview.js';
import { PageRenderer } from '../../../common/pages/page-renderer.js';
import { SETTINGS, type Settings } from '../../../config/settings.js';
import { MAIL_FRAME_POLICY, withLogoInside } from '../../../mail/content/mail-frame.js';
import { MailRenderer } from '../../../mail/content/mail-renderer.js';
import { ConsolePage } from '../../frame/pages/console-page.js';
import { type ConsoleRequest, CurrentConsoleRequest } from '../../frame/requests/console-request.js';
import { previewBrand, typedBranding } from './branding-form.js';
import { PreviewedApps } from './previewed-apps.js';
import { sampleMail, sampleOf } from './sample-mails.js';

/**
 * Previews of an app's sign-in page and mails, in frames on the branding tab. They use the real templates, without
 * working forms and links.
 */
@Controller('console/apps/:app_id/branding/preview')
export class PreviewController {
  constructor(
    private readonly apps: PreviewedApps,
    private readonly signIns: SignInPreview,
    private readonly pages: PageRenderer,
    private readonly mails: MailRenderer,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  @Get('sign-in')
  @ConsolePage('app_admin')
  async signIn(
    @CurrentConsoleRequest() consoleRequest: ConsoleRequest,
    @Param('app_id') id: string,
    @Query() query: Readonly<Record<string, unknown>>,
    @Res() response: Response,
  ): Promise<void> {
    const client = await this.apps.get(consoleRequest, id);
    const page = await this.signIns.page(client);
    const brand = previewBrand(client.app, client.tenant, typedBranding(query));
    await this.pages.send(response, { ...page, brand, preview: query['theme'] === 'dark' ? 'dark' : 'light' });
  }

  @Get('mail')
  @ConsolePage('app_admin')
  @Header('Content-Security-Policy', `${MAIL_FRAME_POLICY}; sandbox`)
  @Header('X-Frame-Options', 'SAMEORIGIN')
  @Header('Cache-Control', 'no-store')
  async mail(
    @CurrentConsoleRequest() consoleRequest: ConsoleRequest,
    @Param('app_id') id: string,
    @Query() query: Readonly<Record<string, unknown>>,
    @Res() response: Response,
  ): Promise<void> {
    const { app, tenant } = await this.apps.get(consoleRequest, id);
    const brand = previewBrand(app, tenant, typedBranding(query));
    const mail = sampleMail(sampleOf(query['mail']), brand, tenant.supportEmail, this.settings.baseUrl);
    const { html } = await this.mails.render(mail);
    response.type('html').send(withLogoInside(html, brand.logo));
  }
}
