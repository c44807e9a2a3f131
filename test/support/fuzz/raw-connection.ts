import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

export interface RawAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** How the sender leaves after the last byte: waits for the answer, sends no more, or is gone. */
export type Leaving = 'stays' | 'half-closes' | 'is gone';

const PATIENCE_MS = 20_000;

/**
 * A connection to which bytes are written as they are, well-formed HTTP or not. It is kept for the next request where
 * the service keeps it, and opened anew where not.
 */
export class RawConnection {
  private socket: Socket | null = null;

  constructor(private readonly port: number) {}

  /** @returns null where the connection ended without an answer. @throws when neither comes in time */
  async send(bytes: Buffer, leaving: Leaving, isLook = false): Promise<RawAnswer | null> {
    const socket = await this.open();
    let received = Buffer.alloc(0);
    const answer = new Promise<RawAnswer | null>((resolve, reject) => {
      const late = setTimeout(() => reject(new Error(`no answer within ${PATIENCE_MS} ms`)), PATIENCE_MS);
      const end = (value: RawAnswer | null) => {
        clearTimeout(late);
        socket.removeAllListeners('data').removeAllListeners('close');
        resolve(value);
      };
      socket.on('data', (chunk: Buffer) => {
        received = Buffer.concat([received, chunk]);
        const whole = readAnswer(received, isLook);
        if (whole) end(whole);
      });
      socket.once('close', () => end(readAnswer(received, isLook, true)));
    });
    if (leaving === 'half-closes') socket.end(bytes);
    else socket.write(bytes, () => (leaving === 'is gone' ? socket.destroy() : undefined));
    const value = await answer;
    if (leaving !== 'stays' || value === null || value.headers['connection'] === 'close') this.close();
    return value;
  }

  /** The next request gets its own connection. */
  close(): void {
    this.socket?.destroy();
    this.socket = null;
  }

  private async open(): Promise<Socket> {
    if (this.socket && !this.socket.destroyed && this.socket.writable) return this.socket;
    const socket = connect({ port: this.port, host: '127.0.0.1', noDelay: true, allowHalfOpen: true });
    // A service that closes before it has read all resets the connection: told by `close`.
    socket.on('error', () => undefined);
    await once(socket, 'connect');
    this.socket = socket;
    return socket;
  }
}

function readAnswer(received: Buffer, isLook: boolean, isOver = false): RawAnswer | null {
  const headEnd = received.indexOf('\r\n\r\n');
  if (headEnd < 0) return null;
  const [first, ...lines] = received.toString('latin1', 0, headEnd).split('\r\n');
  const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(first!)?.[1]);
  if (status === 100) return readAnswer(received.subarray(headEnd + 4), isLook, isOver);
  const headers = Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
  );
  const rest = received.subarray(headEnd + 4);
  if (isLook || status === 204 || status === 304) return { status, headers, body: '' };
  const body = headers['transfer-encoding'] === 'chunked' ? unchunked(rest) : counted(rest, headers, isOver);
  return body === null ? null : { status, headers, body: body.toString() };
}

function counted(rest: Buffer, headers: Record<string, string>, isOver: boolean): Buffer | null {
  const length = headers['content-length'];
  if (length === undefined) return isOver ? rest : null;
  return rest.length >= Number(length) ? rest.subarray(0, Number(length)) : null;
}

function unchunked(rest: Buffer): Buffer | null {
  const chunks: Buffer[] = [];
  for (let at = 0; ;) {
    const lineEnd = rest.indexOf('\r\n', at);
    if (lineEnd < 0) return null;
    const size = Number.parseInt(rest.toString('latin1', at, lineEnd), 16);
    if (rest.length < lineEnd + 2 + size + 2) return null;
    if (size === 0) return Buffer.concat(chunks);
    chunks.push(rest.subarray(lineEnd + 2, lineEnd + 2 + size));
    at = lineEnd + 2 + size + 2;
  }
}
