import { brotliCompressSync, constants, deflateSync, gzipSync } from 'node:zlib';
import { BOUNDARY, multipart, MULTIPART_TYPE } from '../multipart.js';
import type { Random } from './random.js';
import type { Leaving } from './raw-connection.js';

/** A body with the headers that describe it, rightly or wrongly. Without `length` its own is told. */
export interface WireBody {
  readonly headers: Readonly<Record<string, string>>;
  readonly bytes: Buffer;
  /** `Content-Length`; null: none is sent. */
  readonly length?: number | null;
  readonly leaving?: Leaving;
}

export type Maker = (random: Random, json: string) => WireBody;

const JSON_TYPE = { 'Content-Type': 'application/json' };
const FORM_TYPE = { 'Content-Type': 'application/x-www-form-urlencoded' };
const KB = 1024;
/** Unpacks to more than any route takes. */
const ZEROS = Buffer.alloc(40 * KB * KB, '0');
const PACKED = {
  gzip: gzipSync,
  deflate: deflateSync,
  br: (bytes: Buffer) => brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } }),
};
/** Begins no packed text. Of random bytes, an eighth would be an empty text in Brotli (RFC 7932 section 9.2). */
const NO_HEADER = Buffer.from([0x11]);
export const ENCODINGS = Object.keys(PACKED) as (keyof typeof PACKED)[];
const BOMBS = Object.fromEntries(ENCODINGS.map((name) => [name, PACKED[name](ZEROS)]));

export function packed(name: keyof typeof PACKED, bytes: Buffer): Buffer {
  return PACKED[name](bytes);
}

const json = (bytes: Buffer | string, headers: Record<string, string> = {}): WireBody => ({
  headers: { ...JSON_TYPE, ...headers },
  bytes: Buffer.from(bytes),
});
const encoded = (encoding: string, bytes: Buffer | string) => json(bytes, { 'Content-Encoding': encoding });
const charset = (name: string, bytes: Buffer | string) =>
  json(bytes, { 'Content-Type': `application/json; charset=${name}` });

/** Bodies that no route can take: each is refused from every caller, and changes nothing. */
export const BROKEN_BODIES: Readonly<Record<string, Maker>> = {
  'noise called packed': (random) =>
    encoded(random.pick(ENCODINGS), Buffer.concat([NO_HEADER, random.bytes(1 + random.below(200))])),
  'packed, cut off': (random, text) => {
    const name = random.pick(ENCODINGS);
    const whole = packed(name, Buffer.from(text.padEnd(200)));
    return encoded(name, whole.subarray(0, 1 + random.below(whole.length - 9)));
  },
  'packed, a byte changed': (random, text) => {
    const bytes = gzipSync(text);
    const at = bytes.length - 8 + random.below(4); // in the checksum
    bytes[at]! ^= 0xff;
    return encoded('gzip', bytes);
  },
  'packed otherwise than it says': (_random, text) => encoded('br', gzipSync(text)),
  'not packed at all': (random, text) => encoded(random.pick(ENCODINGS), text),
  'packed in an unknown way': (random, text) =>
    encoded(random.pick(['compress', 'zstd', 'x-unknown', 'gzip ', '*', 'gzip;q=1', '__proto__', 'constructor']), text),
  'packed several times': (random, text) =>
    encoded(random.pick(['gzip, gzip', 'gzip,deflate', 'br, gzip', 'identity, gzip', ',']), gzipSync(gzipSync(text))),
  'a bomb': (random) => {
    const name = random.pick(ENCODINGS);
    return encoded(name, BOMBS[name]!);
  },
  'a charset nobody knows': (random, text) =>
    charset(random.pick(['x-unknown', 'latin1', 'iso-8859-1', 'windows-1252', 'utf-99', '__proto__', 'utf-']), text),
  'UTF-8 called UTF-16': (random, text) => charset(random.pick(['utf-16', 'utf-16le', 'utf-16be', 'utf-32']), text),
  'UTF-16 called UTF-8': (_random, text) => charset('utf-8', Buffer.from(`\ufeff${text}`, 'utf16le')),
  'half a character of UTF-16': (random, text) =>
    charset('utf-16le', Buffer.from(text, 'utf16le').subarray(0, -1 - random.below(4))),
  'two byte order marks': (_random, text) => json(`\ufeff\ufeff${text}`),
  'noise called JSON': (random) => json(Buffer.concat([Buffer.from('{'), random.bytes(1 + random.below(100))])),
  'JSON, cut off': (random, text) => json(text.slice(0, 1 + random.below(text.length - 1))),
  'a form called JSON': (random) => json(`a=${random.below(9)}&b=%00`),
  'less than its length, and the sender waits no more': (random, text) => ({
    ...json(text),
    length: Buffer.byteLength(text) + 1 + random.below(1000),
    leaving: random.pick(['half-closes', 'is gone']),
  }),
  'nothing of its length': (random) => ({ ...json(''), length: 1 + random.below(10 ** 6), leaving: 'half-closes' }),
  'more than its length': (random, text) => ({
    ...json(text),
    length: 1 + random.below(text.length - 1),
    leaving: 'half-closes',
  }),
  'a length that is none': (random, text) => ({
    ...json(text, { 'Content-Length': random.pick(['-1', 'x', '1e3', '0x10', '1, 2', '9'.repeat(30)]) }),
    length: null,
    leaving: 'half-closes',
  }),
  'a length and chunks': (_random, text) => ({
    ...json(`${text.length.toString(16)}\r\n${text}\r\n0\r\n\r\n`, { 'Transfer-Encoding': 'chunked' }),
    leaving: 'half-closes',
  }),
  'chunks of noise': (random, text) => ({
    ...json(
      random.pick([
        Buffer.from(`zz\r\n${text}\r\n0\r\n\r\n`),
        Buffer.from(`-1\r\n${text}\r\n0\r\n\r\n`),
        Buffer.from(`${'f'.repeat(20)}\r\n${text}\r\n`),
        Buffer.from(`${(text.length + 5).toString(16)}\r\n${text}\r\n0\r\n\r\n`),
        random.bytes(60),
      ]),
      { 'Transfer-Encoding': 'chunked' },
    ),
    length: null,
    leaving: 'half-closes',
  }),
  'chunks that never end': (random, text) => ({
    ...json(`${text.length.toString(16)}\r\n${text}\r\n`, { 'Transfer-Encoding': 'chunked' }),
    length: null,
    leaving: random.pick(['half-closes', 'is gone']),
  }),
  'an unknown transfer encoding': (random, text) => ({
    ...json(text, { 'Transfer-Encoding': random.pick(['gzip', 'gzip, chunked', 'chunked, chunked', 'x']) }),
    length: null,
    leaving: 'half-closes',
  }),
  'JSON beyond the limit': () => json(`{"a":"${'x'.repeat(256 * KB)}"}`),
  'a form beyond the limit': () => ({ headers: FORM_TYPE, bytes: Buffer.from(`a=${'x'.repeat(256 * KB)}`) }),
  'a form of too many fields': () => ({ headers: FORM_TYPE, bytes: Buffer.from('a=1&'.repeat(1001)) }),
  'a form in an unknown charset': (random) => ({
    headers: { 'Content-Type': `${FORM_TYPE['Content-Type']}; charset=${random.pick(['utf-16', 'x', 'koi8-r'])}` },
    bytes: Buffer.from('a=1'),
  }),
  'headers beyond the limit': (random, text) => ({
    ...json(text, { 'X-Long': 'x'.repeat(17 * KB + random.below(KB)) }),
    leaving: 'half-closes',
  }),
  'a header that is none': (random, text) => ({
    ...json(text, { 'X-Odd': random.pick(['a\0b', 'a\nb', '\u007f\u0001']) }),
    leaving: 'half-closes',
  }),
  'a type that nobody reads': (random, text) => ({
    headers: {
      'Content-Type': random.pick(['text/plain', 'application/xml', 'application/jsonx', 'json', ';', 'a/b/c', '*/*']),
    },
    bytes: Buffer.from(text),
  }),
  'no type': (_random, text) => ({ headers: {}, bytes: Buffer.from(text) }),
};

const PART = { name: 'file', filename: 'logo.png', content: 'not an image' };
const form = (bytes: Buffer, type = MULTIPART_TYPE): WireBody => ({ headers: { 'Content-Type': type }, bytes });

/** Broken multipart bodies. Only routes with an upload read them; to all others they are no body. */
export const BROKEN_UPLOADS: Readonly<Record<string, Maker>> = {
  'without a boundary': () => form(multipart(PART), 'multipart/form-data'),
  'with an empty boundary': (random) =>
    form(multipart(PART), `multipart/form-data; boundary=${random.pick(['', '""'])}`),
  'with a huge boundary': () => form(multipart(PART), `multipart/form-data; boundary=${'b'.repeat(8 * KB)}`),
  'with another boundary': () => form(multipart(PART), 'multipart/form-data; boundary=other'),
  'with an odd boundary': (random) =>
    form(multipart(PART), `multipart/form-data; boundary=${random.pick(['"a', 'a b', '\\', '%00', '; boundary=x'])}`),
  'within another': () =>
    form(multipart({ name: 'file', type: MULTIPART_TYPE.replace(BOUNDARY, 'inner'), content: '--inner\r\n\r\n' })),
  'cut off': (random) => {
    const whole = multipart(PART);
    return form(whole.subarray(0, random.below(whole.length - 4)));
  },
  'cut off by the sender': (random) => {
    const whole = multipart({ ...PART, content: 'x'.repeat(2000) });
    const leaving = random.pick(['half-closes', 'is gone'] as const);
    return { ...form(whole.subarray(0, 1 + random.below(whole.length - 9))), length: whole.length, leaving };
  },
  'without an end, in chunks': (random) => ({
    ...form(Buffer.from(`40\r\n--${BOUNDARY}\r\nContent-Disposition: form-data; name="file"; f\r\n`)),
    length: null,
    headers: { 'Content-Type': MULTIPART_TYPE, 'Transfer-Encoding': 'chunked' },
    leaving: random.pick(['half-closes', 'is gone']),
  }),
  'of noise': (random) => form(random.bytes(300)),
  'of noise between boundaries': (random) =>
    form(Buffer.concat([Buffer.from(`--${BOUNDARY}\r\n`), random.bytes(200), Buffer.from(`\r\n--${BOUNDARY}--\r\n`)])),
  'with a huge header': () => form(multipart({ ...PART, name: 'n'.repeat(90 * KB) })),
  'of too many parts': () =>
    form(multipart(...Array.from({ length: 50 }, (_, n) => ({ name: `f${n}`, content: 'x' })))),
  'of several files': () => form(multipart(PART, PART)),
  'with names that reach prototypes': (random) =>
    form(
      multipart({ name: random.pick(['__proto__', '__proto__[a]', 'constructor[prototype][a]', '']), content: 'x' }),
    ),
  packed: (random) => ({
    headers: { 'Content-Type': MULTIPART_TYPE, 'Content-Encoding': random.pick(ENCODINGS) },
    bytes: gzipSync(multipart(PART)),
  }),
};
