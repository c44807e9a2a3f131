export type ImageKind = 'png' | 'jpeg' | 'svg';

const PNG = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const JPEG = Buffer.from([0xff, 0xd8, 0xff]);
/**
 * All of these encodings represent ASCII characters as ASCII bytes, so nothing is hidden from a search of the bytes (as
 * it could be in UTF-7 and UTF-16).
 */
const PLAIN_ENCODINGS = /^(?:utf-8|us-ascii|ascii|iso-8859-1|windows-1252)$/i;

/**
 * The kind of an image, determined from its content and never from its name or declared type; null for everything else.
 */
export function imageKindOf(bytes: Buffer): ImageKind | null {
  if (isPng(bytes)) return 'png';
  if (bytes.subarray(0, JPEG.length).equals(JPEG)) return 'jpeg';
  return isHarmlessSvg(bytes) ? 'svg' : null;
}

export function isPng(bytes: Buffer): boolean {
  return bytes.subarray(0, PNG.length).equals(PNG);
}

/**
 * Accepts uncompressed SVG text without entity declarations: entities can expand without bound, or include files (XXE).
 * Scripts and references are not searched for: the picture is rendered without them, and only the result is stored.
 */
function isHarmlessSvg(bytes: Buffer): boolean {
  const text = bytes.toString('latin1').replace(/^\xef\xbb\xbf/, '');
  const declaration = /^\s*<\?xml\s[^>]{0,200}\?>/.exec(text)?.[0] ?? '';
  const encoding = /\sencoding\s*=\s*["']([^"']*)["']/.exec(declaration)?.[1] ?? 'utf-8';
  if (!PLAIN_ENCODINGS.test(encoding) || text.includes('\0')) return false;
  // The decoder checks whether the root element really is `svg`.
  return /^\s*</.test(text) && /<(?:\w{1,20}:)?svg[\s/>]/.test(text) && !/<!ENTITY/i.test(text);
}
