import { isDeepStrictEqual } from 'node:util';
import type { App } from '../app/app.entity.js';

type Settings = Pick<App, 'config' | 'branding'>;

/** For the audit entry of a change: which settings of `config` have another value now. */
export interface ChangedSettings {
  /** Names, such as `redirect_uris` and `branding`; absent where none has. */
  readonly config?: readonly string[];
  /** An added URI is where sign-ins can be sent to from now on. */
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
