export type ImageKind = 'png' | 'jpeg' | 'svg';

const PNG = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const JPEG = Buffer.from([0xff, 0xd8, 0xff]);
/** All of them write ASCII as ASCII, so that nothing is hidden from a look at the bytes (UTF-7 and UTF-16 would). */
const PLAIN_ENCODINGS = /^(?:utf-8|us-ascii|ascii|iso-8859-1|windows-1252)$/i;

/** What an image is by its content, never by its name or the type that was claimed; null for everything else. */
export function imageKindOf(bytes: Buffer): ImageKind | null {
  if (isPng(bytes)) return 'png';
  if (bytes.subarray(0, JPEG.length).equals(JPEG)) return 'jpeg';
  return isHarmlessSvg(bytes) ? 'svg' : null;
}

export function isPng(bytes: Buffer): boolean {
  return bytes.subarray(0, PNG.length).equals(PNG);
}

/**
 * SVG as text, uncompressed, that declares no entities: they expand without bound, or bring in files (XXE). Scripts and
 * references need no look: the picture is drawn without any of them, and only the picture is kept.
 */
function isHarmlessSvg(bytes: Buffer): boolean {
  const text = bytes.toString('latin1').replace(/^\xef\xbb\xbf/, '');
  const declaration = /^\s*<\?xml\s[^>]{0,200}\?>/.exec(text)?.[0] ?? '';
  const encoding = /\sencoding\s*=\s*["']([^"']*)["']/.exec(declaration)?.[1] ?? 'utf-8';
  if (!PLAIN_ENCODINGS.test(encoding) || text.includes('\0')) return false;
  // Whether the root element really is one, the decoder finds out.
  return /^\s*</.test(text) && /<(?:\w{1,20}:)?svg[\s/>]/.test(text) && !/<!ENTITY/i.test(text);
}
