import type { App } from '../../../apps/app/app.entity.js';
import { APP_PICTURE_NAMES, APP_PICTURES, type AppPicture } from '../../../apps/settings/app-pictures.js';
import type { FormError } from '../../../common/pages/form-error.js';
import { appPath } from '../page/app-tabs.js';

/** Path of each picture under the branding tab. */
const PATHS: Readonly<Record<AppPicture, string>> = { logo: 'logo', dark_logo: 'dark-logo', favicon: 'favicon' };
export const PICTURE_PATHS = APP_PICTURE_NAMES.map((picture) => PATHS[picture]);
export const PICTURE_REMOVAL_PATHS = PICTURE_PATHS.map((path) => `${path}/remove`);

export const PICTURE_WORDS: Readonly<Record<AppPicture, { name: string; hint: string }>> = {
  logo: { name: 'logo', hint: 'PNG, JPEG or SVG, at most 2 MB. Kept as a PNG of at most 256 pixels.' },
  dark_logo: {
    name: 'logo for the dark theme',
    hint: 'Shown instead of the logo on dark pages. Without one, both themes show the logo.',
  },
  favicon: {
    name: 'favicon',
    hint: 'The icon of the hosted pages in the browser’s tab. Square, kept as a PNG of at most 64 pixels.',
  },
};

/** The picture in a path of the controller. */
export function pictureAt(path: string): AppPicture {
  const name = path.split('/branding/')[1]?.split('/')[0];
  return APP_PICTURE_NAMES.find((picture) => PATHS[picture] === name) ?? 'logo';
}

export function picturePath(app: Pick<App, 'id'>, picture: AppPicture, rest = ''): string {
  return appPath(app, 'branding', `/${PATHS[picture]}${rest}`);
}

/** Id of the file field. Each picture has its own form on the tab. */
export function pictureField(picture: AppPicture): string {
  return picture === 'logo' ? 'file' : `${picture}_file`;
}

/** The upload forms of the tab. The form token is in the URL, because it must be checked before the file is read. */
export function pictureForms(app: App, formToken: string, errors: readonly FormError[]) {
  const token = new URLSearchParams({ form_token: formToken }).toString();
  return APP_PICTURE_NAMES.map((picture) => {
    const { name, hint } = PICTURE_WORDS[picture];
    const field = pictureField(picture);
    const current = app[APP_PICTURES[picture].column];
    return {
      field,
      label: name[0]!.toUpperCase() + name.slice(1),
      name,
      hint,
      error: errors.find((error) => error.field === field)?.message ?? '',
      action: `${picturePath(app, picture)}?${token}`,
      current,
      isDark: picture === 'dark_logo',
      removeUrl: current === null ? null : picturePath(app, picture, '/remove'),
    };
  });
}
