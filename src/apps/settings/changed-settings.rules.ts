import { isDeepStrictEqual } from 'node:util';
import { cutText } from '../../audit/entries/bounded-metadata.rules.js';
import type { App } from '../app/app.entity.js';

type Settings = Pick<App, 'config' | 'branding'>;

/** Changed settings of `config`, for the audit entry of a change. */
export interface ChangedSettings {
  /** Names, such as `redirect_uris` and `branding`; absent if none has changed. */
  readonly config?: readonly string[];
  /** Named, because sign-ins can be redirected to an added URI. */
  readonly redirect_uris?: ChangedUris;
}

/** Up to {@link MAX_NAMED} of each; the counts are only present if there are more. */
interface ChangedUris {
  readonly added: readonly string[];
  readonly removed: readonly string[];
  readonly added_count?: number;
  readonly removed_count?: number;
}

/** An entry cannot be deleted, so it is short. Most apps have fewer URIs. */
const MAX_NAMED = 20;
/** In characters; includes the host of a URI. */
const MAX_URI = 300;

export function changedSettings(before: Settings, after: Settings): ChangedSettings {
  const old = { ...before.config, branding: before.branding } as Readonly<Record<string, unknown>>;
  const config = Object.entries({ ...after.config, branding: after.branding })
    .filter(([name, value]) => !isDeepStrictEqual(old[name], value))
    .map(([name]) => name);
  if (config.length === 0) return {};
  if (!config.includes('redirect_uris')) return { config };
  return { config, redirect_uris: changedUris(before.config.redirect_uris, after.config.redirect_uris) };
}

function changedUris(before: readonly string[], after: readonly string[]): ChangedUris {
  const [was, is] = [new Set(before), new Set(after)];
  const added = after.filter((uri) => !was.has(uri));
  const removed = before.filter((uri) => !is.has(uri));
  const named = (uris: readonly string[]) => uris.slice(0, MAX_NAMED).map((uri) => cutText(uri, MAX_URI));
  return {
    added: named(added),
    removed: named(removed),
    ...(added.length > MAX_NAMED && { added_count: added.length }),
    ...(removed.length > MAX_NAMED && { removed_count: removed.length }),
  };
}
