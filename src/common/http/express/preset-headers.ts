import type { ServerResponse } from 'node:http';

/** Names and values alternate, as `writeHead` takes them. */
type FlatHeaders = readonly string[];

const preset = Symbol('preset headers');
type Presettable = ServerResponse & { [preset]?: FlatHeaders };

/** Sets headers that the answer gets however it is written, unless headers with these names are set before that. */
export function presetHeaders(response: ServerResponse, headers: FlatHeaders): void {
  (response as Presettable)[preset] = headers;
}

/**
 * Returns the headers so that they are sent in one write, which takes half as long as setting each.
 * @returns null if the answer has none, or has other headers of its own
 */
export function takePresetHeaders(response: ServerResponse): FlatHeaders | null {
  const headers = (response as Presettable)[preset];
  if (!headers || response.getHeaderNames().length > 0) return null;
  (response as Presettable)[preset] = undefined;
  return headers;
}

/** Called before the head is written. */
export function setPresetHeaders(response: ServerResponse): void {
  const headers = (response as Presettable)[preset];
  if (!headers) return;
  (response as Presettable)[preset] = undefined;
  for (let index = 0; index < headers.length; index += 2) {
    if (!response.hasHeader(headers[index]!)) response.setHeader(headers[index]!, headers[index + 1]!);
  }
}
