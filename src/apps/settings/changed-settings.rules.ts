import { isDeepStrictEqual } from 'node:util';
import type { App } from '../app/app.entity.js';

type Settings = Pick<App, 'config' | 'branding'>;

/** Changed settings of `config`, for the audit entry of a change. */
export interface ChangedSettings {
  /** Names, such as `redirect_uris` and `branding`; absent if none has changed. */
  readonly config?: readonly string[];
  /** Recorded in full, because sign-ins can be redirected to an added URI. */
  readonly redirect_uris?: { readonly added: readonly string[]; readonly removed: readonly string[] };
}

export function changedSettings(before: Settings, after: Settings): ChangedSettings {
  const old = { ...before.config, branding: before.branding } as Readonly<Record<string, unknown>>;
  const config = Object.entries({ ...after.config, branding: after.branding })
    .filter(([name, value]) => !isDeepStrictEqual(old[name], value))
    .map(([name]) => name);
  if (config.length === 0) return {};
  if (!config.includes('redirect_uris')) return { config };
  const [was, is] = [before.config.redirect_uris, after.config.redirect_uris];
  const added = is.filter((uri) => !was.includes(uri));
  return { config, redirect_uris: { added, removed: was.filter((uri) => !is.includes(uri)) } };
}
