import type { App } from '../app/app.entity.js';
import { LOGO_SIDE } from '../logo/logo-images.js';

/** The pictures that can be uploaded for an app: where each is kept, its field in the API, and its longest side in pixels. */
export const APP_PICTURES = {
  logo: { column: 'logoData', field: 'logo_data', side: LOGO_SIDE },
  dark_logo: { column: 'darkLogoData', field: 'dark_logo_data', side: LOGO_SIDE },
  favicon: { column: 'faviconData', field: 'favicon_data', side: 64 },
} as const;

export type AppPicture = keyof typeof APP_PICTURES;
export type PictureColumn = (typeof APP_PICTURES)[AppPicture]['column'];
type PictureField = (typeof APP_PICTURES)[AppPicture]['field'];
/** As the row of the app has them: data URIs. */
export type Pictures = Pick<App, PictureColumn>;

export const APP_PICTURE_NAMES = Object.keys(APP_PICTURES) as AppPicture[];

/** For the API and exports. */
export function pictureFields(app: Pictures): Record<PictureField, string | null> {
  return {
    logo_data: app.logoData,
    dark_logo_data: app.darkLogoData,
    favicon_data: app.faviconData,
  };
}

/** What a request or a document says of them; what it does not say is null. */
export function picturesIn(branding: { readonly [field in PictureField]?: string | null } | undefined): Pictures {
  return {
    logoData: branding?.logo_data ?? null,
    darkLogoData: branding?.dark_logo_data ?? null,
    faviconData: branding?.favicon_data ?? null,
  };
}
