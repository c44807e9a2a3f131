export const SLUG_PATTERN = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

/** Makes a slug from a name: ASCII letters and digits, separated by hyphens; `tenant` if nothing remains. */
export function slugFromName(name: string): string {
  const plain = name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '') // `ü` is now `u` and a combining mark, which is no separator
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, 60)
    .replace(/^-|-$/g, '');
  return plain || 'tenant';
}
