import { AppUpdate } from '../../../apps/settings/app.dto.js';
import { appBrand, brandLogos } from '../../../apps/directory/app-brand.js';
import type { App } from '../../../apps/app/app.entity.js';
import { judgeLogoUrl } from '../../../apps/logo/logo-url.rules.js';
import type { Brand } from '../../../common/pages/brand/brand.js';
import type { Tenant } from '../../../tenants/tenant.entity.js';
import type { Fields } from '../../frame/requests/console-request.js';
import { type FormInput, readForm } from '../../frame/lists/form-input.js';
import { wholeOf } from '../../frame/lists/form-values.js';

const FIELDS = ['primary_color', 'logo_url', 'logo_height', 'tos_uri', 'policy_uri', 'support_uri'] as const;

export function readBranding(fields: Fields): FormInput<AppUpdate> {
  return readForm(AppUpdate, {
    config: {
      branding: {
        primary_color: fields['primary_color'],
        logo_url: fields['logo_url'] === '' ? null : fields['logo_url'],
        logo_height: wholeOf(fields['logo_height']),
        tos_uri: fields['tos_uri'] === '' ? null : fields['tos_uri'],
        policy_uri: fields['policy_uri'] === '' ? null : fields['policy_uri'],
        support_uri: fields['support_uri'] === '' ? null : fields['support_uri'],
      },
    },
  });
}

/** The values in the form. The preview uses those that could be saved. */
export function typedBranding(query: Readonly<Record<string, unknown>>): Fields {
  const typed = FIELDS.map((name) => [name, query[name]] as const);
  return Object.fromEntries(typed.filter((entry): entry is [(typeof FIELDS)[number], string] => isText(entry[1])));
}

/** Branding for the preview: each typed value if it is valid, otherwise the saved one. */
export function previewBrand(app: App, tenant: Tenant, typed: Fields): Brand {
  const one = (name: (typeof FIELDS)[number]) => {
    const form = typed[name] === undefined ? null : readBranding({ [name]: typed[name] });
    return form && 'input' in form ? form.input.config?.branding : undefined;
  };
  const url = one('logo_url')?.logo_url;
  const logoUrl = url === undefined || (url !== null && judgeLogoUrl(url)) ? app.branding.logo_url : url;
  return {
    ...appBrand({ app, tenant }),
    primaryColor: (one('primary_color')?.primary_color ?? app.branding.primary_color).toLowerCase(),
    // Browsers never load the address itself, and the service fetches only the saved one.
    ...brandLogos(app, logoUrl === app.branding.logo_url ? app.logoCopy : null),
    logoHeight: one('logo_height')?.logo_height ?? app.branding.logo_height,
  };
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value.length <= 2048;
}
