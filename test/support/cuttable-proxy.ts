import { connect, createServer, type Server, type Socket } from 'node:net';
import { once } from 'node:events';
import { freePort } from './free-port.js';

/** Stands between the service and a server of its, which a test can take away and bring back under the same address. */
export class CuttableProxy {
  private readonly sockets = new Set<Socket>();
  /** To the server and to the service, where the service has sent LISTEN. */
  private readonly listeners = new Set<readonly [Socket, Socket]>();
  /** To the server and to the service, of every open connection. */
  private readonly pairs = new Set<readonly [Socket, Socket]>();
  private holding = false;
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
      this.watch(inner, outer);
      const pair = [outer, inner] as const;
      this.pairs.add(pair);
      inner.on('close', () => this.pairs.delete(pair));
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

  /**
   * From here on PostgreSQL's notifications do not arrive, while everything else goes on; the connection that waits for
   * them hears nothing at all. The service notices within three seconds.
   */
  holdNotifications(): void {
    this.holding = true;
    for (const [outer, inner] of this.listeners) outer.unpipe(inner).pause();
  }

  releaseNotifications(): void {
    this.holding = false;
    for (const [outer, inner] of this.listeners) outer.pipe(inner);
  }

  /** On the connections that are open now the server's answers are lost for good; new ones work. */
  swallowAnswers(): void {
    for (const [outer, inner] of this.pairs) outer.unpipe(inner).resume();
  }

  private watch(inner: Socket, outer: Socket): void {
    const pair = [outer, inner] as const;
    inner.on('data', (chunk: Buffer) => {
      if (!chunk.includes('LISTEN ') || this.listeners.has(pair)) return;
      this.listeners.add(pair);
      if (this.holding) outer.unpipe(inner).pause();
    });
    inner.on('close', () => this.listeners.delete(pair));
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
