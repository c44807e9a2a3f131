const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const HEADER_BYTES = 33;
const PREFIX = 'data:image/png;base64,';
/** The largest side of a stored logo, pixels. */
const MAX_SIDE = 256;

/** Whether a data URI holds a PNG that is no larger than the logos made here: nothing is unpacked to find that out. */
export function judgeLogo(dataUri: string): 'ok' | 'not_a_logo' {
  if (!dataUri.startsWith(PREFIX)) return 'not_a_logo';
  const head = Buffer.from(dataUri.slice(PREFIX.length, PREFIX.length + 4 * Math.ceil(HEADER_BYTES / 3)), 'base64');
  if (head.length < HEADER_BYTES || !head.subarray(0, 8).equals(SIGNATURE)) return 'not_a_logo';
  if (head.readUInt32BE(8) !== 13 || head.toString('latin1', 12, 16) !== 'IHDR') return 'not_a_logo';
  const sides = [head.readUInt32BE(16), head.readUInt32BE(20)];
  return sides.every((side) => side >= 1 && side <= MAX_SIDE) ? 'ok' : 'not_a_logo';
}
