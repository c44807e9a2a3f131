import { once } from 'node:events';
import { createServer as createHttpServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { TEST_CERTIFICATE, TEST_KEY } from './test-certificate.js';
import { eventually } from './wait.js';

export interface Delivered {
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  /** Byte for byte. */
  readonly body: string;
  readonly at: Date;
}

/** A status, or whatever a test wants to do with the connection. */
export type Reply = number | ((response: ServerResponse, request: IncomingMessage) => void);

/** Takes webhooks and answers as the test says; 204 until then. */
export class WebhookReceiver {
  readonly requests: Delivered[] = [];
  private readonly replies = new Map<string, Reply>();

  private constructor(
    private readonly server: Server,
    private readonly scheme: 'http' | 'https',
  ) {
    server.on('request', (request: IncomingMessage, response: ServerResponse) => void this.take(request, response));
  }

  static start(): Promise<WebhookReceiver> {
    return WebhookReceiver.listen(createHttpServer(), 'http');
  }

  /** With the certificate of `receiver.example`. */
  static startSecure(): Promise<WebhookReceiver> {
    return WebhookReceiver.listen(createHttpsServer({ key: TEST_KEY, cert: TEST_CERTIFICATE }), 'https');
  }

  private static async listen(server: Server, scheme: 'http' | 'https'): Promise<WebhookReceiver> {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new WebhookReceiver(server, scheme);
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  url(path: string): string {
    return `${this.scheme}://127.0.0.1:${this.port}${path}`;
  }

  on(path: string, reply: Reply): void {
    this.replies.set(path, reply);
  }

  to(path: string): Delivered[] {
    return this.requests.filter((request) => request.path === path);
  }

  /** Until so many have come to the path. */
  count(path: string, count: number): Promise<Delivered[]> {
    return eventually(`${count} webhooks at ${path}`, () => {
      const come = this.to(path);
      return come.length >= count && come;
    });
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }

  private async take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const path = request.url ?? '/';
    this.requests.push({ path, headers: request.headers, body: Buffer.concat(chunks).toString(), at: new Date() });
    const reply = this.replies.get(path) ?? 204;
    if (typeof reply === 'number') response.writeHead(reply).end();
    else reply(response, request);
  }
}

/** So many bytes of an answer, as fast as they are taken. @returns how many went out so far */
export function endless(limit: number): { reply: Reply; sent: () => number } {
  let sent = 0;
  const chunk = Buffer.alloc(64 * 1024, 'x');
  return {
    sent: () => sent,
    reply: (response) => {
      response.writeHead(200, { 'content-length': String(limit) });
      const more = (): void => {
        while (!response.destroyed && sent < limit) {
          sent += chunk.length;
          if (!response.write(chunk)) return void response.once('drain', more);
        }
        response.end();
      };
      more();
    },
  };
}
