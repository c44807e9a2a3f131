/** The same content always as the same text: keys of stored objects in one order, no matter who wrote them. */
export function sortedKeys<T extends object>(value: T): T {
  const keys = Object.keys(value).sort() as (keyof T)[];
  return Object.fromEntries(keys.map((key) => [key, value[key]])) as T;
}

/** An object without its closing brace, so that more fields can follow piece by piece. */
export function openObject(fields: object): string {
  return JSON.stringify(fields).slice(0, -1);
}

/** A list written item by item, one a line: short differences between two exports. */
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
