import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Logger } from 'pino';
import { logJson } from '../../log/service-log.js';
import { newRequestId } from '../request-log.js';

const BAD_REQUEST = [400, 'Bad Request'] as const;
const REFUSALS: Readonly<Record<string, readonly [status: number, reason: string]>> = {
  HPE_HEADER_OVERFLOW: [431, 'Request Header Fields Too Large'],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: [413, 'Payload Too Large'],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'Request Timeout'],
};

/** `_httpMessage`: the response to a request whose headers have arrived, and that is not finished. */
type Answering = Socket & {
  readonly _httpMessage?: { readonly headersSent: boolean; readonly req?: { readonly id?: string } } | null;
};

/**
 * Bytes that are not HTTP never become a request, so neither middleware nor the error filter sees them. Node answers
 * without a body; this adds the `detail`, the version and the request id that all other refusals have. Sends nothing if
 * an answer has begun, because it would become part of that answer.
 */
export function answerMalformedRequests(server: Server, logger: Logger, apiVersion: string): void {
  server.on('clientError', (error: Error & { code?: string }, socket: Answering) => {
    if (!socket.writable || socket._httpMessage?.headersSent) return void socket.destroy();
    const [status, reason] = REFUSALS[error.code ?? ''] ?? BAD_REQUEST;
    const body = JSON.stringify({ detail: reason });
    const head = [
      `HTTP/1.1 ${status} ${reason}`,
      'Connection: close',
      'Cache-Control: no-store',
      `X-API-Version: ${apiVersion}`,
      `X-Request-Id: ${socket._httpMessage?.req?.id ?? loggedId(logger, status, socket)}`,
      'Content-Type: application/json; charset=utf-8',
      `Content-Length: ${Buffer.byteLength(body)}`,
    ];
    socket.end(`${head.join('\r\n')}\r\n\r\n${body}`, () => socket.destroy());
  });
}

/** A new id, with its line in the log. A request whose body is malformed has both already. */
function loggedId(logger: Logger, status: number, { remoteAddress }: Socket): string {
  const id = newRequestId();
  const ip = remoteAddress === undefined ? '' : `,"ip":${JSON.stringify(remoteAddress)}`;
  logJson(logger, 'info', `,"request_id":"${id}","status":${status}${ip},"msg":"not a request"`);
  return id;
}
