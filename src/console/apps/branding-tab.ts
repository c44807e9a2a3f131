import { Inject, Injectable } from '@nestjs/common';
import type { Response } from 'express';
import type { App } from '../../apps/app.entity.js';
import { redirectUrisOf } from '../../apps/redirect-uri.rules.js';
import type { FormError } from '../../common/pages/form-error.js';
import { SETTINGS, type Settings } from '../../config/settings.js';
import { TenantsService } from '../../tenants/tenants.service.js';
import type { ConsoleRequest, Fields } from '../frame/console-request.js';
import { AppPages } from './app-pages.js';
import { appPath } from './app-tabs.js';
import { previewBrand, previewWays } from './branding-form.js';
import { contrastNotes } from './contrast-notes.js';
import { hostedPageUrl } from './quick-start.js';

/** What the branding tab of an app shows: the form, and a preview of the sign-in page. */
@Injectable()
export class BrandingTab {
  constructor(
    private readonly tenants: TenantsService,
    private readonly pages: AppPages,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  async show(
    consoleRequest: ConsoleRequest,
    response: Response,
    app: App,
    typed: Fields,
    errors: readonly FormError[],
  ): Promise<void> {
    await this.pages.show(consoleRequest, response, app, {
      tab: 'branding',
      errors,
      model: {
        primaryColor: typed['primary_color'] ?? app.branding.primary_color,
        logoUrl: typed['logo_url'] ?? app.branding.logo_url ?? '',
        logoHeight: typed['logo_height'] ?? String(app.branding.logo_height),
        termsUrl: typed['tos_uri'] ?? app.branding.tos_uri ?? '',
        supportUrl: typed['support_uri'] ?? app.branding.support_uri ?? '',
        privacyUrl: typed['policy_uri'] ?? app.branding.policy_uri ?? '',
        hasUpload: app.logoData !== null,
        logoMissing: app.branding.logo_url !== null && app.logoCopy === null,
        uploadAction: `${appPath(app, 'branding')}/logo?${new URLSearchParams({ form_token: consoleRequest.formToken }).toString()}`,
        hostedUrl: hostedPageUrl(this.settings.baseUrl, app.id, redirectUrisOf(app, this.settings.baseUrl)),
        preview: await this.preview(app, typed),
      },
    });
  }

  async preview(app: App, typed: Fields) {
    const tenant = await this.tenants.get(app.tenantId);
    const brand = previewBrand(app, tenant.name, typed);
    const colours = new URLSearchParams({ primary_color: brand.primaryColor, logo_height: String(brand.logoHeight) });
    return {
      brand,
      themes: ['light', 'dark'],
      notes: contrastNotes(brand.primaryColor),
      style: `${appPath(app, 'branding')}/preview.css?${colours.toString()}`,
      ...previewWays(app, this.settings.providers),
    };
  }
}
