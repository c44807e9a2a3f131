import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** An app's own server on a loopback port, as far as a browser sees it. */
export interface ListeningApp {
  readonly origin: string;
  readonly redirectUri: string;
  /** Paths, with queries, that it was called with. */
  readonly calls: readonly string[];
  /** Bodies that were posted to it. */
  readonly bodies: readonly string[];
  close(): Promise<void>;
}

/** @param onward where its callback sends the browser; by default it shows the address that it was called with */
export async function startListeningApp(onward?: string): Promise<ListeningApp> {
  const calls: string[] = [];
  const bodies: string[] = [];
  const server = createServer((request, response) => {
    calls.push(request.url ?? '');
    if (request.method === 'POST') request.setEncoding('utf8').on('data', (text: string) => bodies.push(text));
    if (onward) response.writeHead(302, { Location: onward }).end();
    else response.writeHead(200, { 'Content-Type': 'text/plain' }).end(`called with ${request.url ?? ''}`);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    origin,
    redirectUri: `${origin}/callback`,
    calls,
    bodies,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
