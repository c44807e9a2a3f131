import { multipart, MULTIPART_TYPE } from '../multipart.js';
import { HOSTILE_BODIES, HOSTILE_TEXTS } from '../hostile-values.js';
import { ENCODINGS, type Maker, packed, type WireBody } from './broken-bodies.js';
import type { Random } from './random.js';

export type Fields = Readonly<Record<string, unknown>>;

const ODD_VALUES: readonly unknown[] = [null, true, 0, -1, 2 ** 53, 2 ** 63, 1e308, 1.5, [], {}, [[]], [null], [{}]];
const JSON_TYPE = 'application/json';

export function hostileText(random: Random): string {
  if (random.oneIn(4)) return random.uuid();
  if (random.oneIn(4)) return random.bytes(random.below(40)).toString('latin1');
  return random.pick(HOSTILE_TEXTS);
}

export function hostileValue(random: Random, depth = 0): unknown {
  if (random.oneIn(3)) return random.pick(ODD_VALUES);
  if (depth < 4 && random.oneIn(6))
    return Array.from({ length: random.below(4) }, () => hostileValue(random, depth + 1));
  if (depth < 4 && random.oneIn(6))
    return { [random.pick(HOSTILE_TEXTS).slice(0, 50)]: hostileValue(random, depth + 1) };
  return hostileText(random);
}

const jsonAs =
  (type: string, encode: (text: string, random: Random) => Buffer): Maker =>
  (random, json) => ({ headers: { 'Content-Type': type }, bytes: encode(json, random) });

/** Ways to write down the same fields, none of them wrong: whatever comes of it is the route's doing. */
const WAYS: readonly Maker[] = [
  jsonAs(JSON_TYPE, (json) => Buffer.from(json)),
  jsonAs(`${JSON_TYPE}; charset=UTF-8`, (json) => Buffer.from(`\ufeff${json}`)),
  jsonAs(`${JSON_TYPE}; charset=utf-16le`, (json) => Buffer.from(json, 'utf16le')),
  jsonAs(`${JSON_TYPE}; charset=utf-16`, (json) => Buffer.from(`\ufeff${json}`, 'utf16le')),
  jsonAs(`${JSON_TYPE}; charset=utf-7`, (json) => Buffer.from(json)),
  // Bytes that are no UTF-8, within a text.
  jsonAs(JSON_TYPE, (json, random) =>
    Buffer.concat([Buffer.from(json.slice(0, -1)), Buffer.from(',"odd":"'), highBytes(random), Buffer.from('"}')]),
  ),
  (random, json) => {
    const name = random.pick(ENCODINGS);
    const headers = { 'Content-Type': JSON_TYPE, 'Content-Encoding': random.oneIn(2) ? name : name.toUpperCase() };
    return { headers, bytes: packed(name, Buffer.from(json)) };
  },
  (random, json) => ({
    headers: { 'Content-Type': JSON_TYPE, 'Transfer-Encoding': 'chunked' },
    bytes: inChunks(random, Buffer.from(json)),
    length: null,
  }),
  // Whole bodies that are hostile wherever they stand; one is refused for what it is, or for who sends it.
  (random) => ({
    headers: { 'Content-Type': JSON_TYPE },
    bytes: Buffer.from(random.pick(Object.values(HOSTILE_BODIES))),
  }),
  () => ({ headers: {}, bytes: Buffer.alloc(0), length: 0 }),
  (_random, json) => ({ headers: { 'Content-Type': MULTIPART_TYPE }, bytes: multipart(...partsOf(json)) }),
];

export function readableBody(random: Random, fields: Fields): WireBody {
  return random.oneIn(3) ? form(random, fields) : random.pick(WAYS)(random, JSON.stringify(fields));
}

function form(random: Random, fields: Fields): WireBody {
  const texts = Object.entries(fields).map(([name, value]): [string, string] => [name, asText(value)]);
  const text =
    new URLSearchParams(texts).toString() + random.pick(['', '', '&', '&=', '&a[b]=c', '&%', '&%zz=%ff', '&a']);
  return { headers: { 'Content-Type': 'application/x-www-form-urlencoded' }, bytes: Buffer.from(text) };
}

function partsOf(json: string): { name: string; content: string; filename?: string }[] {
  const parts = Object.entries(JSON.parse(json) as Fields).map(([name, value]) => ({
    name: name.replace(/["\r\n]/g, ''),
    content: asText(value),
  }));
  return [...parts, { name: 'file', filename: 'a.json', content: json }];
}

function asText(value: unknown): string {
  return typeof value === 'string' ? value.toWellFormed() : JSON.stringify(value);
}

function highBytes(random: Random): Buffer {
  return Buffer.from(Array.from({ length: 1 + random.below(8) }, () => 128 + random.below(128)));
}

function inChunks(random: Random, bytes: Buffer): Buffer {
  const chunks: Buffer[] = [];
  for (let at = 0; at < bytes.length;) {
    const chunk = bytes.subarray(at, at + 1 + random.below(Math.ceil(bytes.length / 3)));
    chunks.push(Buffer.from(`${chunk.length.toString(16)}\r\n`), chunk, Buffer.from('\r\n'));
    at += chunk.length;
  }
  return Buffer.concat([...chunks, Buffer.from('0\r\n\r\n')]);
}
