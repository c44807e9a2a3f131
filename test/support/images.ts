import { deflateSync } from 'node:zlib';
import sharp from 'sharp';

interface Size {
  readonly width: number;
  readonly height: number;
}

/** One color throughout. */
export function plainImage(kind: 'png' | 'jpeg' | 'webp' | 'gif', size: Size, color = '#336699'): Promise<Buffer> {
  return sharp({ create: { ...size, channels: 3, background: color } })
    .toFormat(kind)
    .toBuffer();
}

/** Every pixel another color: nothing compresses it. */
export function noisyPng({ width, height }: Size): Promise<Buffer> {
  return sharp({
    create: { width, height, channels: 3, background: '#000', noise: { type: 'gaussian', mean: 128, sigma: 60 } },
  })
    .png()
    .toBuffer();
}

/** A JPEG with everything a camera writes beside the picture. */
export function jpegWithMetadata(size: Size, marker: string): Promise<Buffer> {
  return sharp({ create: { ...size, channels: 3, background: '#884422' } })
    .withExif({ IFD0: { Copyright: marker, Artist: marker }, IFD3: { GPSLatitude: '51/1 30/1 3230/100' } })
    .withXmp(`<x:xmpmeta xmlns:x="adobe:ns:meta/"><note>${marker}</note></x:xmpmeta>`)
    .jpeg()
    .toBuffer();
}

/** Says in its header that it is this large, and compresses to next to nothing: a decompression bomb. */
export function bombPng({ width, height }: Size): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([1, 0, 0, 0, 0], 8); // one bit a pixel, grey
  const rows = deflateSync(Buffer.alloc((Math.ceil(width / 8) + 1) * height), { level: 9 });
  return Buffer.concat([PNG_SIGNATURE, chunk('IHDR', header), chunk('IDAT', rows), chunk('IEND', Buffer.alloc(0))]);
}

export const PNG_SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

export function svg(inner: string, { before = '', root = 'width="64" height="64"' } = {}): Buffer {
  return Buffer.from(
    `${before}<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" ${root}>${inner}</svg>`,
  );
}

/** A blue square, which is the whole picture unless something else was drawn over it. */
export const BLUE_SQUARE = '<rect width="64" height="64" fill="#0000ff"/>';

export interface DecodedLogo extends Size {
  readonly png: Buffer;
  /** Colors that occur, as `rrggbbaa`. */
  readonly colors: ReadonlySet<string>;
}

/** What an app shows as its logo, taken apart. */
export async function decodeLogo(dataUri: unknown): Promise<DecodedLogo> {
  const base64 = /^data:image\/png;base64,([A-Za-z0-9+/]+=*)$/.exec(String(dataUri))?.[1];
  if (!base64) throw new Error(`Not a PNG in a data URI: ${String(dataUri).slice(0, 60)}`);
  const png = Buffer.from(base64, 'base64');
  const { data, info } = await sharp(png).ensureAlpha().raw().toBuffer({ resolveWithObject: true });
  const colors = new Set<string>();
  for (let at = 0; at < data.length; at += 4) colors.add(data.subarray(at, at + 4).toString('hex'));
  return { width: info.width, height: info.height, png, colors };
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const frame = Buffer.alloc(8);
  frame.writeUInt32BE(data.length, 0);
  frame.writeUInt32BE(crc32(body), 4);
  return Buffer.concat([frame.subarray(0, 4), body, frame.subarray(4)]);
}

function crc32(bytes: Buffer): number {
  let crc = 0xffffffff;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
  }
  return (crc ^ 0xffffffff) >>> 0;
}
