/**
 * Paths of `data` that `read` does not look at. A validator reads every field that its schema knows, so what it does not read
 * is unknown to the schema: misspelled, for example.
 */
export function unreadPaths(data: object, read: (data: object) => void): string[] {
  const unread = new Set<string>();
  const watched = (value: unknown, path: string): unknown => {
    if (typeof value !== 'object' || value === null) return value;
    for (const key of Object.keys(value)) unread.add(`${path}/${key}`);
    return new Proxy(value, {
      get: (from, key) => {
        if (typeof key === 'symbol') return Reflect.get(from, key) as unknown;
        unread.delete(`${path}/${key}`);
        return proxies(`${path}/${key}`, (from as Record<string, unknown>)[key]);
      },
    });
  };
  const made = new Map<string, unknown>();
  const proxies = (path: string, value: unknown): unknown => {
    if (!made.has(path)) made.set(path, watched(value, path));
    return made.get(path);
  };
  read(watched(data, '') as object);
  return [...unread];
}
