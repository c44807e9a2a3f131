/** Why an address is refused, or ok. Bounds: RFC 5321 (64 + 1 + 255, 254 in all); one @, no list or header characters. */
export function judgeEmail(text: string): 'ok' | 'malformed' {
  const email = text.normalize('NFKC').trim();
  const visible = stripIgnorables(email);
  if (visible.length > 254 || email.length > 1000) return 'malformed';
  const match = /^([^@]{1,64})@([^@]{1,253})$/u.exec(visible);
  if (!match) return 'malformed';
  const [, local, domain] = match;
  // Commas, semicolons, quotes, brackets, blanks and control characters have turned one recipient into two elsewhere.
  if (/[\s,;:"'`()<>[\]\\|\p{Cc}\p{Cs}\p{Zs}]/u.test(visible)) return 'malformed';
  if (local!.startsWith('.') || local!.endsWith('.') || local!.includes('..')) return 'malformed';
  const labels = domain!.split('.');
  if (labels.length < 2) return 'malformed';
  return labels.every((label) => /^[\p{L}\p{N}](?:[\p{L}\p{N}\p{M}-]{0,61}[\p{L}\p{N}\p{M}])?$/u.test(label))
    ? 'ok'
    : 'malformed';
}

/**
 * The one spelling by which an address is compared and made unique: NFKC, default-ignorable characters removed,
 * lower case, trimmed. `ﬁ`, full-width and zero-width look-alikes collide with the plain address.
 */
export function canonicalEmail(text: string): string {
  return stripIgnorables(stripIgnorables(text).normalize('NFKC').toLowerCase().normalize('NFKC')).trim();
}

function stripIgnorables(text: string): string {
  return text.replace(/\p{Default_Ignorable_Code_Point}/gu, '');
}
