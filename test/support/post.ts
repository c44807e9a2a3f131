import { send } from './send.js';
import type { Answer } from './world.js';

export type Failure = { detail: unknown; error?: string; error_description?: string };
type Headers = Readonly<Record<string, string>>;

/** To any of several processes; for one service `world.call` says it shorter. */
export function postJson<Body = Failure>(url: string, body: unknown, headers: Headers = {}): Promise<Answer<Body>> {
  return post(url, JSON.stringify(body), { 'Content-Type': 'application/json', ...headers });
}

/** As OAuth clients post. Pairs, so that a field can be repeated. */
export function postForm<Body = Failure>(
  url: string,
  fields: Record<string, string> | [string, string][],
  headers: Headers = {},
): Promise<Answer<Body>> {
  return post(url, new URLSearchParams(fields).toString(), {
    'Content-Type': 'application/x-www-form-urlencoded',
    ...headers,
  });
}

/** HTTP Basic as RFC 6749 section 2.3.1 wants it: both parts form-encoded first. */
export function basic(clientId: string, clientSecret: string): Headers {
  const encode = (part: string) => encodeURIComponent(part).replaceAll('%20', '+');
  return {
    Authorization: `Basic ${Buffer.from(`${encode(clientId)}:${encode(clientSecret)}`).toString('base64')}`,
  };
}

async function post<Body>(url: string, body: string, headers: Headers): Promise<Answer<Body>> {
  const { text, ...answer } = await send(url, { method: 'POST', headers, body });
  return {
    ...answer,
    body: (text.startsWith('{') || text.startsWith('[') ? JSON.parse(text) : text) as Body,
  };
}
