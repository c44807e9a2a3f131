import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What a peer does to one request. */
export type Behavior =
  /** As a real one that is well. */
  | 'take'
  /** Never answers. */
  | 'hang'
  /** Cuts the connection. */
  | 'cut'
  /** Takes it, and cuts the connection in place of an answer. */
  | 'take and cut'
  /** Answers well, but late. */
  | { readonly delayMs: number }
  | { readonly status: number; readonly retryAfter?: string }
  /** Answers well once this has come to pass. */
  | { readonly after: Promise<unknown> };

/** Behaviors by device: what was told first happens first, then the last for ever. */
export class Script {
  private readonly told = new Map<string, Behavior[]>();

  tell(device: string, ...behaviors: Behavior[]): void {
    this.told.set(device, behaviors);
  }

  next(device: string): Behavior {
    const left = this.told.get(device) ?? [];
    return (left.length > 1 ? left.shift() : left[0]) ?? 'take';
  }
}

export interface LocalServer {
  readonly origin: string;
  close(): Promise<void>;
}

export async function listenLocally(handle: RequestListener, port = 0): Promise<LocalServer> {
  const server = createServer(handle);
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

export async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}
