import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';

/** What happens to bytes. `lose answers` and `lose requests`: one direction arrives, the other one does not. */
export type Line = 'whole' | 'lose answers' | 'lose requests';

/** A line to a server that keeps its address while the server changes its port, and that can fail in one direction. */
export class Gateway {
  line: Line = 'whole';
  private readonly sockets = new Set<Socket>();

  private constructor(
    private readonly server: Server,
    public targetPort: number,
  ) {
    server.on('connection', (client: Socket) => this.join(client, connect(this.targetPort, '127.0.0.1')));
  }

  /** @param url of a server on this machine */
  static async before(url: string): Promise<Gateway> {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new Gateway(server, Number(new URL(url).port));
  }

  /** The same address, through the gateway. */
  through(url: string): string {
    const { port } = this.server.address() as { port: number };
    return Object.assign(new URL(url), { hostname: '127.0.0.1', port: String(port) }).href;
  }

  async close(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    this.server.close();
    await once(this.server, 'close');
  }

  private join(client: Socket, server: Socket): void {
    for (const [socket, other, lost] of [
      [client, server, 'lose requests'],
      [server, client, 'lose answers'],
    ] as const) {
      this.sockets.add(socket);
      socket.on('data', (chunk: Buffer) => {
        if (this.line !== lost) other.write(chunk);
      });
      socket.on('error', () => other.destroy());
      socket.on('close', () => {
        this.sockets.delete(socket);
        other.destroy();
      });
    }
  }
}
