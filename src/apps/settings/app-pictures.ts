import type { App } from '../app/app.entity.js';
import { LOGO_SIDE } from '../logo/logo-images.js';

/**
 * The pictures that can be uploaded for an app: the column of each, its field in the API, and its maximum side length
 * in pixels.
 */
export const APP_PICTURES = {
  logo: { column: 'logoData', field: 'logo_data', side: LOGO_SIDE },
  dark_logo: { column: 'darkLogoData', field: 'dark_logo_data', side: LOGO_SIDE },
  favicon: { column: 'faviconData', field: 'favicon_data', side: 64 },
} as const;

export type AppPicture = keyof typeof APP_PICTURES;
export type PictureColumn = (typeof APP_PICTURES)[AppPicture]['column'];
type PictureField = (typeof APP_PICTURES)[AppPicture]['field'];
/** Data URIs, as stored in the row of the app. */
export type Pictures = Pick<App, PictureColumn>;

export const APP_PICTURE_NAMES = Object.keys(APP_PICTURES) as AppPicture[];

/** Pictures as the API and exports show them. */
export function pictureFields(app: Pictures): Record<PictureField, string | null> {
  return {
    logo_data: app.logoData,
    dark_logo_data: app.darkLogoData,
    favicon_data: app.faviconData,
  };
}

/** Pictures in a request or a document; null if absent. */
export function picturesIn(branding: { readonly [field in PictureField]?: string | null } | undefined): Pictures {
  return {
    logoData: branding?.logo_data ?? null,
    darkLogoData: branding?.dark_logo_data ?? null,
    faviconData: branding?.favicon_data ?? null,
  };
}
