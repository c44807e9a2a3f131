import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';

export type Moment = 'before' | 'after';

interface KillPoint {
  readonly moment: Moment;
  readonly number: number;
  readonly act: () => void;
}

const WRITES = /\b(INSERT\s+INTO|UPDATE\s[\s\S]*?\sSET|DELETE\s+FROM|TRUNCATE)\s/i;
/** When a session was used last, which reading it notes once a minute: no effect of the request. */
const NOTED = /SET last_seen_at = now\(\)/i;
const COMMIT = /^\s*COMMIT\b/i;
const BEGIN = /^\s*(BEGIN|START TRANSACTION)\b/i;
const ROLLBACK = /^\s*ROLLBACK\b(?!\s+TO)/i;

const NO_TEXT = '';

/**
 * Stands before PostgreSQL and reads just enough of its protocol (version 3) to see what commits: exact moments to kill
 * the service, without a hook in it.
 */
export class WireProxy {
  private readonly sockets = new Set<Socket>();
  private killPoint: KillPoint | null = null;
  private seen: string[] = [];

  private constructor(
    private readonly server: Server,
    private readonly target: { readonly host: string; readonly port: number },
  ) {
    server.on('connection', (client: Socket) => new Wire(this, client, connect(this.target)));
  }

  /** @param databaseUrl of the server behind it */
  static async before(databaseUrl: string): Promise<WireProxy> {
    const { hostname, port } = new URL(databaseUrl);
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new WireProxy(server, { host: hostname, port: Number(port) });
  }

  /** The same database, through the proxy. */
  through(databaseUrl: string): string {
    const { port } = this.server.address() as { port: number };
    return Object.assign(new URL(databaseUrl), { hostname: '127.0.0.1', port: String(port) }).href;
  }

  /** Counts from one again. */
  recount(): void {
    this.seen = [];
  }

  /** What has made something durable since {@link recount}, in its first words: COMMIT, or its own statement. */
  get commits(): readonly string[] {
    return this.seen;
  }

  /**
   * At the commit of that number `act` is called once: `before` the server hears of it, or `after` it has confirmed and
   * before the service hears of that. The connection then falls silent for good.
   */
  arm(moment: Moment, number: number, act: () => void): void {
    this.recount();
    this.killPoint = { moment, number, act };
  }

  disarm(): void {
    this.killPoint = null;
  }

  async close(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    this.server.close();
    await once(this.server, 'close');
  }

  /** For the connections. @returns where to stop at this commit */
  noteCommit(text: string): Moment | null {
    this.seen.push(text.trim().split(/\s+/).slice(0, 4).join(' '));
    return this.killPoint?.number === this.seen.length ? this.killPoint.moment : null;
  }

  strike(): void {
    const { killPoint } = this;
    this.killPoint = null;
    killPoint?.act();
  }

  keep(socket: Socket): void {
    this.sockets.add(socket);
    socket.on('close', () => this.sockets.delete(socket));
  }
}

/** One connection of the service. */
class Wire {
  private readonly statements = new Map<string, string>();
  private fromClient: Buffer = Buffer.alloc(0);
  private fromServer: Buffer = Buffer.alloc(0);
  private isStarted = false;
  private isSilent = false;
  private isInTransaction = false;
  private bound = '';
  private strikesWhenReady = false;

  constructor(
    private readonly proxy: WireProxy,
    private readonly client: Socket,
    private readonly server: Socket,
  ) {
    for (const [socket, other] of [
      [client, server],
      [server, client],
    ] as const) {
      proxy.keep(socket);
      socket.setNoDelay(true);
      socket.on('error', () => other.destroy());
      socket.on('close', () => other.destroy());
    }
    client.on('data', (chunk: Buffer) => this.hearClient(chunk));
    server.on('data', (chunk: Buffer) => this.hearServer(chunk));
  }

  private hearClient(chunk: Buffer): void {
    this.fromClient = Buffer.concat([this.fromClient, chunk]);
    for (let message = this.nextOfClient(); message !== null; message = this.nextOfClient()) {
      if (this.isSilent) continue;
      const text = this.commitIn(message);
      if (text !== null && this.stopsAt(text)) continue;
      this.server.write(message);
    }
  }

  private nextOfClient(): Buffer | null {
    const head = this.isStarted ? 1 : 0;
    if (this.fromClient.length < head + 4) return null;
    const length = head + this.fromClient.readUInt32BE(head);
    if (this.fromClient.length < length) return null;
    const message = this.fromClient.subarray(0, length);
    this.fromClient = this.fromClient.subarray(length);
    this.isStarted = true;
    return message;
  }

  /** What the message makes durable, or null. Keeps track of transactions and of prepared statements. */
  private commitIn(message: Buffer): string | null {
    const text = this.textOf(message);
    if (BEGIN.test(text)) this.isInTransaction = true;
    else if (ROLLBACK.test(text)) this.isInTransaction = false;
    else if (COMMIT.test(text)) {
      this.isInTransaction = false;
      return text;
    } else if (!this.isInTransaction && WRITES.test(text) && !NOTED.test(text)) return text;
    return null;
  }

  /** The text that the message runs: of a simple query, or of the statement that Execute runs. */
  private textOf(message: Buffer): string {
    const type = String.fromCharCode(message[0]!);
    const [first, second] = message.subarray(5).toString('latin1').split('\0', 2) as [string, string];
    if (type === 'Q') return message.subarray(5, -1).toString('utf8');
    if (type === 'P') this.statements.set(first, second);
    if (type === 'B') this.bound = this.statements.get(second) ?? '';
    return type === 'E' ? this.bound : NO_TEXT;
  }

  private stopsAt(text: string): boolean {
    const stop = this.proxy.noteCommit(text);
    if (stop === 'after') this.strikesWhenReady = true;
    if (stop !== 'before') return false;
    this.isSilent = true;
    this.proxy.strike();
    return true;
  }

  private hearServer(chunk: Buffer): void {
    if (this.isSilent) return;
    if (!this.strikesWhenReady) {
      this.client.write(chunk);
      return;
    }
    this.fromServer = Buffer.concat([this.fromServer, chunk]);
    if (!endsWithReady(this.fromServer)) return;
    this.isSilent = true;
    this.proxy.strike();
  }
}

/** ReadyForQuery (`Z`, five bytes of length and status): the server has done all that it was asked for. */
function endsWithReady(answer: Buffer): boolean {
  return answer.length >= 6 && answer.at(-6) === 0x5a && answer.readUInt32BE(answer.length - 5) === 5;
}
