const LINE_FEED = 0x0a;

/** Lines sorted by their bytes, in a single buffer instead of an object for each line. */
export class SortedLines {
  private readonly starts: Uint32Array;

  /** @param text UTF-8, each line with a line feed, sorted by `Buffer.compare` */
  constructor(private readonly text: Buffer) {
    this.starts = startsOf(text);
  }

  get size(): number {
    return this.starts.length - 1;
  }

  /** A binary search with about twenty comparisons. */
  has(line: string): boolean {
    const wanted = Buffer.from(line, 'utf8');
    let [low, high] = [0, this.size - 1];
    while (low <= high) {
      const middle = (low + high) >>> 1;
      const order = this.text.compare(wanted, 0, wanted.length, this.starts[middle]!, this.starts[middle + 1]! - 1);
      if (order === 0) return true;
      if (order < 0) low = middle + 1;
      else high = middle - 1;
    }
    return false;
  }
}

/** The start of each line, and the end of the last one. */
function startsOf(text: Buffer): Uint32Array {
  const starts = [0];
  for (let at = text.indexOf(LINE_FEED); at !== -1; at = text.indexOf(LINE_FEED, at + 1)) starts.push(at + 1);
  return Uint32Array.from(starts);
}
