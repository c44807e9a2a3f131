import { Inject, Injectable } from '@nestjs/common';
import type { Response } from 'express';
import type { App } from '../../../apps/app/app.entity.js';
import { redirectUrisOf } from '../../../apps/app/redirect-uri.rules.js';
import type { FormError } from '../../../common/pages/form-error.js';
import { SETTINGS, type Settings } from '../../../config/settings.js';
import { TenantsService } from '../../../tenants/tenants.service.js';
import type { ConsoleRequest, Fields } from '../../frame/requests/console-request.js';
import { AppPages } from '../page/app-pages.js';
import { appPath } from '../page/app-tabs.js';
import { previewBrand } from './branding-form.js';
import { contrastNotes } from './contrast-notes.js';
import { pictureForms } from './picture-forms.js';
import { hostedPageUrl } from '../integration/quick-start.js';
import { type SampleMail, sampleChoices, sampleOf } from './sample-mails.js';

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
    sample: SampleMail = sampleOf(null),
  ): Promise<void> {
    await this.pages.show(consoleRequest, response, app, {
      tab: 'branding',
      errors,
      hasFrame: true,
      model: {
        primaryColor: typed['primary_color'] ?? app.branding.primary_color,
        logoUrl: typed['logo_url'] ?? app.branding.logo_url ?? '',
        logoHeight: typed['logo_height'] ?? String(app.branding.logo_height),
        termsUrl: typed['tos_uri'] ?? app.branding.tos_uri ?? '',
        supportUrl: typed['support_uri'] ?? app.branding.support_uri ?? '',
        privacyUrl: typed['policy_uri'] ?? app.branding.policy_uri ?? '',
        logoMissing: app.branding.logo_url !== null && app.logoCopy === null,
        pictures: pictureForms(app, consoleRequest.formToken, errors),
        hostedUrl: hostedPageUrl(this.settings.baseUrl, app.id, redirectUrisOf(app, this.settings.baseUrl)),
        mail: sample,
        preview: await this.preview(app, typed, sample),
      },
    });
  }

  /** URLs of the preview frames, with the valid values of the form. */
  async preview(app: App, typed: Fields, sample: SampleMail) {
    const tenant = await this.tenants.get(app.tenantId);
    const brand = previewBrand(app, tenant, typed);
    const shown = {
      primary_color: brand.primaryColor,
      logo_height: String(brand.logoHeight),
      ...(brand.logo === null ? { logo_url: '' } : {}),
    };
    const frame = (kind: string, more: Record<string, string>) =>
      `${appPath(app, 'branding')}/preview/${kind}?${new URLSearchParams({ ...shown, ...more }).toString()}`;
    return {
      notes: contrastNotes(brand.primaryColor),
      pages: [
        { label: 'Light theme', src: frame('sign-in', { theme: 'light' }) },
        { label: 'Dark theme', src: frame('sign-in', { theme: 'dark' }) },
      ],
      mail: frame('mail', { mail: sample }),
      mails: sampleChoices(sample),
      mailsUrl: appPath(app, 'branding'),
    };
  }
}
