import type { Brand } from '../../common/pages/brand/brand.js';
import type { App } from '../app/app.entity.js';
import type { RegisteredClient } from './app-directory.js';

/** How an app looks on pages and in mails. */
export function appBrand({ app, tenant }: Pick<RegisteredClient, 'app' | 'tenant'>): Brand {
  return {
    appName: app.name,
    tenantName: tenant.name,
    primaryColor: app.branding.primary_color,
    ...brandLogos(app, app.logoCopy),
    favicon: app.faviconData,
    logoHeight: app.branding.logo_height,
    locale: tenant.defaultLocale,
    termsUrl: app.branding.tos_uri ?? null,
    privacyUrl: app.branding.policy_uri ?? null,
    supportUrl: app.branding.support_uri ?? null,
  };
}

/** @param copy of the picture at the logo's address, for an app without an uploaded logo */
export function brandLogos(
  { logoData, darkLogoData }: Pick<App, 'logoData' | 'darkLogoData'>,
  copy: string | null,
): Pick<Brand, 'logo' | 'darkLogo'> {
  const logo = logoData ?? copy;
  // The pages of both themes show a logo, or both show a monogram.
  return { logo, darkLogo: logo === null ? null : darkLogoData };
}
