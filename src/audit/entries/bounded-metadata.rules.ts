/** Entries cannot be deleted, and lists and exports have many of them in memory. In bytes of JSON. */
export const MAX_METADATA_BYTES = 8 * 1024;

/** Never cut: addresses, reasons and ids, by which entries are found and described. In characters. */
const FACT = 256;

/** Longer lists and texts are cut, each time to less, until the metadata is small enough. */
const CUTS: readonly Cut[] = [
  { items: 50, characters: 1_000 },
  { items: 20, characters: FACT },
  { items: 5, characters: FACT },
];

interface Cut {
  readonly items: number;
  readonly characters: number;
}

type Metadata = Readonly<Record<string, unknown>>;

/**
 * Metadata of at most {@link MAX_METADATA_BYTES}. If it has more, long texts are cut, and long lists to their first
 * elements: `uris_count` is then the length of the list `uris`, and `truncated` is true.
 */
export function boundedMetadata(metadata: Metadata): Metadata {
  if (bytesOf(metadata) <= MAX_METADATA_BYTES) return metadata;
  const plain = JSON.parse(JSON.stringify(metadata)) as Metadata;
  for (const cut of CUTS) {
    const shorter = { ...Object.fromEntries(Object.entries(plain).flatMap((entry) => cutEntry(entry, cut))), ...MARK };
    if (bytesOf(shorter) <= MAX_METADATA_BYTES) return shorter;
  }
  return { ...factsOf(plain), ...MARK };
}

const MARK = { truncated: true } as const;

/** An entry of an object, and the number of elements that it had if some are left out. */
function cutEntry([name, value]: readonly [string, unknown], cut: Cut): [string, unknown][] {
  const length = typeof value === 'object' && value !== null ? Object.keys(value).length : 0;
  const shorter: [string, unknown] = [name, cutValue(value, cut)];
  return length > cut.items ? [shorter, [`${name}_count`, length]] : [shorter];
}

function cutValue(value: unknown, cut: Cut): unknown {
  if (typeof value === 'string') return cutText(value, cut.characters);
  if (Array.isArray(value)) return value.slice(0, cut.items).map((each) => cutValue(each, cut));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).slice(0, cut.items);
  return Object.fromEntries(entries.flatMap((entry) => cutEntry(entry, cut)));
}

/** Whole characters: PostgreSQL does not accept half of a surrogate pair in JSON. */
export function cutText(text: string, characters: number): string {
  if (text.length <= characters) return text;
  const all = [...text];
  return all.length > characters ? `${all.slice(0, characters).join('')}…` : text;
}

/** Only numbers, switches and short texts, as many as there is room for. */
function factsOf(metadata: Metadata): Metadata {
  const facts: Record<string, unknown> = {};
  let room = MAX_METADATA_BYTES - bytesOf(MARK);
  for (const [name, value] of Object.entries(metadata)) {
    if (typeof value === 'object' && value !== null) continue;
    const fact = cutValue(value, { items: 0, characters: FACT });
    const bytes = bytesOf({ [name]: fact });
    if (bytes > room) continue;
    room -= bytes;
    facts[name] = fact;
  }
  return facts;
}

function bytesOf(value: object): number {
  return Buffer.byteLength(JSON.stringify(value));
}
