import { slugFromName } from '../../../tenants/slug.rules.js';

const MAX_LENGTH = 255;
/** Letters and digits that cannot be confused. */
const ALPHABET = 'abcdefghjkmnpqrstuvwxyz23456789';
const SUFFIX_LENGTH = 4;

/** The default bundle id of an app without one. */
export function bundleIdFromName(name: string): string {
  return `app.${slugFromName(name)}`;
}

/** `….imported-<4 characters>` (docs/conventions.md, section 9). @param random one byte per character of the suffix */
export function importedBundleId(wanted: string, random: Uint8Array): string {
  const suffix = [...random.subarray(0, SUFFIX_LENGTH)].map((byte) => ALPHABET[byte % ALPHABET.length]).join('');
  const ending = `.imported-${suffix}`;
  return wanted.slice(0, MAX_LENGTH - ending.length) + ending;
}
