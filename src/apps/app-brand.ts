import type { Brand } from '../common/pages/brand.js';
import type { RegisteredClient } from './app-directory.js';

/** How an app looks on pages and in mails. */
export function appBrand({ app, tenant }: Pick<RegisteredClient, 'app' | 'tenant'>): Brand {
  return {
    appName: app.name,
    tenantName: tenant.name,
    primaryColor: app.branding.primary_color,
    logo: app.logoData ?? app.logoCopy,
    logoHeight: app.branding.logo_height,
    locale: tenant.defaultLocale,
    termsUrl: app.branding.tos_uri ?? null,
    privacyUrl: app.branding.policy_uri ?? null,
    supportUrl: app.branding.support_uri ?? null,
  };
}
