import type { Server } from 'node:http';
import type { Socket } from 'node:net';

const BAD_REQUEST = [400, 'Bad Request'] as const;
const REFUSALS: Readonly<Record<string, readonly [status: number, reason: string]>> = {
  HPE_HEADER_OVERFLOW: [431, 'Request Header Fields Too Large'],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: [413, 'Payload Too Large'],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'Request Timeout'],
};

type Answering = Socket & { readonly _httpMessage?: { readonly headersSent: boolean } | null };

/**
 * Bytes that are not HTTP never become a request, so the error filter does not see them. Node answers without a body;
 * this adds the `detail` that all other refusals have. Sends nothing if an answer has begun, because it would become
 * part of that answer.
 */
export function answerMalformedRequests(server: Server): void {
  server.on('clientError', (error: Error & { code?: string }, socket: Answering) => {
    if (!socket.writable || socket._httpMessage?.headersSent) return void socket.destroy();
    const [status, reason] = REFUSALS[error.code ?? ''] ?? BAD_REQUEST;
    const body = JSON.stringify({ detail: reason });
    const head = [
      `HTTP/1.1 ${status} ${reason}`,
      'Connection: close',
      'Cache-Control: no-store',
      'Content-Type: application/json; charset=utf-8',
      `Content-Length: ${Buffer.byteLength(body)}`,
    ];
    socket.end(`${head.join('\r\n')}\r\n\r\n${body}`, () => socket.destroy());
  });
}
