import { Agent, request } from 'undici';

export interface Sent {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
}

export interface Received {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

const agent = new Agent();

/** What `fetch` of Node sends besides, except that it takes compressed answers. */
const USUAL = { accept: '*/*', 'accept-language': '*', 'sec-fetch-mode': 'cors', 'user-agent': 'node' };

/** One request as `fetch` makes it without following redirects, for a fifth of the CPU. */
export async function send(address: string | URL, { method, headers, body }: Sent): Promise<Received> {
  const names = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]);
  const answer = await request(address, {
    dispatcher: agent,
    method,
    headers: { ...USUAL, ...(Object.fromEntries(names) as Record<string, string>) },
    ...(body === undefined ? {} : { body }),
  });
  return { status: answer.statusCode, headers: headersOf(answer.headers), text: await answer.body.text() };
}

function headersOf(received: Record<string, string | string[] | undefined>): Headers {
  const headers = new Headers();
  for (const [name, values] of Object.entries(received)) {
    for (const value of [values ?? []].flat()) headers.append(name, value);
  }
  return headers;
}
