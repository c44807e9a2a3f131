import type { Request, RequestHandler, Response } from 'express';

/** Parts of the request that middleware reads, in addition to its headers. */
interface Line {
  readonly method: string;
  readonly path: string;
}

/**
 * The headers that middleware sets on every answer to such a request, determined by running it once.
 * @returns `[name, value]` by the name in lower case
 */
export function headersSetBy(
  middleware: readonly RequestHandler[],
  { method, path }: Line,
): Map<string, [string, string]> {
  const headers = new Map<string, [string, string]>();
  const request = { method, url: path, path, headers: {} };
  const response = {
    setHeader: (name: string, value: unknown) => headers.set(name.toLowerCase(), [name, String(value)]),
    removeHeader: (name: string) => headers.delete(name.toLowerCase()),
  };
  for (const handler of middleware) void handler(request as Request, response as unknown as Response, () => undefined);
  return headers;
}
