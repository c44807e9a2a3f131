/** Serializes the same content as the same text: keys of stored objects are sorted. */
export function sortedKeys<T extends object>(value: T): T {
  const keys = Object.keys(value).sort() as (keyof T)[];
  return Object.fromEntries(keys.map((key) => [key, value[key]])) as T;
}

/** An object without its closing brace, so that further fields can be appended. */
export function openObject(fields: object): string {
  return JSON.stringify(fields).slice(0, -1);
}

/** A list with one item per line, so that the differences between two exports are short. */
export class ListText {
  private isEmpty = true;

  begin(name: string): string {
    return `,\n${JSON.stringify(name)}:[`;
  }

  item(text: string): string {
    const separator = this.isEmpty ? '\n' : ',\n';
    this.isEmpty = false;
    return separator + text;
  }

  end(): string {
    return this.isEmpty ? ']' : '\n]';
  }
}
