import { connect, createServer, type Server, type Socket } from 'node:net';
import { once } from 'node:events';
import { freePort } from './free-port.js';

/** Stands between the service and a server of its, which a test can take away and bring back under the same address. */
export class CuttableProxy {
  private readonly sockets = new Set<Socket>();
  private server: Server | null = null;

  private constructor(
    readonly port: number,
    private readonly target: { readonly host: string; readonly port: number },
  ) {}

  /** @param url of the server behind it */
  static async before(url: string): Promise<CuttableProxy> {
    const { hostname, port } = new URL(url);
    const proxy = new CuttableProxy(await freePort(), { host: hostname, port: Number(port) });
    await proxy.join();
    return proxy;
  }

  /** The same address, through the proxy. */
  through(url: string): string {
    return Object.assign(new URL(url), { hostname: '127.0.0.1', port: String(this.port) }).href;
  }

  async join(): Promise<void> {
    this.server = createServer((inner) => {
      const outer = connect(this.target);
      for (const [socket, other] of [
        [inner, outer],
        [outer, inner],
      ] as const) {
        this.sockets.add(socket);
        socket.on('error', () => other.destroy());
        socket.on('close', () => {
          this.sockets.delete(socket);
          other.destroy();
        });
        socket.pipe(other);
      }
    }).listen(this.port, '127.0.0.1');
    await once(this.server, 'listening');
  }

  /** Cuts every connection, and refuses new ones. */
  async cut(): Promise<void> {
    const { server } = this;
    if (!server) return;
    this.server = null;
    const closed = once(server, 'close');
    server.close();
    for (const socket of this.sockets) socket.destroy();
    await closed;
  }
}
