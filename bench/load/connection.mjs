import { connect } from 'node:net';

const HEAD_END = Buffer.from('\r\n\r\n');

/**
 * One keep-alive connection with one request under way. It reads answers that carry Content-Length and nothing else of
 * HTTP: a generator that costs more than the server would measure itself.
 */
export class Connection {
  #socket;
  #received = Buffer.alloc(0);
  #settle = null;

  static async open(port) {
    const connection = new Connection();
    connection.#socket = connect({ port, host: '127.0.0.1', noDelay: true });
    await new Promise((resolve, reject) => connection.#socket.once('connect', resolve).once('error', reject));
    connection.#socket.on('data', (chunk) => connection.#take(chunk));
    for (const event of ['error', 'close']) connection.#socket.on(event, () => connection.#fail(event));
    return connection;
  }

  /** @returns {Promise<{ status: number, body: Buffer }>} */
  send(request) {
    return new Promise((resolve, reject) => {
      this.#settle = { resolve, reject };
      this.#socket.write(request);
    });
  }

  close() {
    this.#socket.destroy();
  }

  #take(chunk) {
    this.#received = this.#received.length === 0 ? chunk : Buffer.concat([this.#received, chunk]);
    const headEnd = this.#received.indexOf(HEAD_END);
    if (headEnd < 0) return;
    const head = this.#received.latin1Slice(0, headEnd);
    const length = Number(/\r\ncontent-length: *(\d+)/i.exec(head)?.[1] ?? Number.NaN);
    if (Number.isNaN(length)) return this.#fail(`an answer without Content-Length: ${head}`);
    const end = headEnd + HEAD_END.length + length;
    if (this.#received.length < end) return;
    const body = this.#received.subarray(headEnd + HEAD_END.length, end);
    this.#received = this.#received.subarray(end);
    const settle = this.#settle;
    this.#settle = null;
    settle?.resolve({ status: Number(head.slice(9, 12)), body });
  }

  #fail(reason) {
    const settle = this.#settle;
    this.#settle = null;
    settle?.reject(new Error(String(reason)));
  }
}
