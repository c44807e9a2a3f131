import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface ScriptedRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  /** Of a form. */
  readonly form: URLSearchParams;
  readonly headers: IncomingMessage['headers'];
}

export interface ScriptedAnswer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Text and bytes are sent as they are, everything else as JSON. */
  readonly body?: unknown;
}

/** What a path answers; `hang` never answers at all, `cut` ends the connection in place of an answer. */
export type Script = (
  request: ScriptedRequest,
) => ScriptedAnswer | 'hang' | 'cut' | Promise<ScriptedAnswer | 'hang' | 'cut'>;

/** An HTTP server that says whatever a test wants it to say. */
export class ScriptedServer {
  readonly requests: ScriptedRequest[] = [];
  private readonly scripts = new Map<string, Script>();
  private readonly server = createServer((request, response) => void this.handle(request, response));

  private constructor() {}

  static async start(): Promise<ScriptedServer> {
    const scripted = new ScriptedServer();
    scripted.server.listen(0, '127.0.0.1');
    await once(scripted.server, 'listening');
    return scripted;
  }

  get origin(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  on(path: string, script: Script): void {
    this.scripts.set(path, script);
  }

  /** Requests to a path so far. */
  to(path: string): ScriptedRequest[] {
    return this.requests.filter((request) => request.path === path);
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }

  private async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const url = new URL(request.url!, this.origin);
    const seen = {
      method: request.method!,
      path: url.pathname,
      query: url.searchParams,
      form: new URLSearchParams(Buffer.concat(chunks).toString('utf8')),
      headers: request.headers,
    };
    this.requests.push(seen);
    const answer = (await this.scripts.get(url.pathname)?.(seen)) ?? { status: 404, body: { error: 'not found' } };
    if (answer === 'hang') return;
    if (answer === 'cut') return void request.socket.destroy();
    const { status = 200, headers = {}, body = {} } = answer;
    const isText = typeof body === 'string' || Buffer.isBuffer(body);
    response.writeHead(status, { 'Content-Type': isText ? 'text/plain' : 'application/json', ...headers });
    response.end(isText ? body : JSON.stringify(body));
  }
}
