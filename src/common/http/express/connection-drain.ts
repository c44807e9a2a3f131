import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import {
  type BeforeApplicationShutdown,
  Injectable,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
} from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';

/** How often connections that have become idle are closed while the process stops. */
const SWEEP_MS = 50;
/** A connection without a single byte: it may be one whose request is just arriving. */
const SILENT_MS = 500;
/** What is unanswered after this time is cut, so that one slow client does not turn a stop into a failure. */
const LONGEST_DRAIN_MS = 8_000;

/**
 * Ends the kept-alive connections of a process that stops. From `begin` on every answer says `Connection: close`, so
 * that a client leaves by itself; with the application's end idle connections are closed, and the others as soon as
 * they have been answered. Node's `close` alone waits for a client that has connected and says nothing.
 */
@Injectable()
export class ConnectionDrain implements OnApplicationBootstrap, BeforeApplicationShutdown, OnApplicationShutdown {
  /** With the time of its acceptance, in milliseconds of `performance.now()`. */
  private readonly sockets = new Map<Socket, number>();
  private server: Server | null = null;
  private draining = false;
  private sweep: NodeJS.Timeout | null = null;
  private end: NodeJS.Timeout | null = null;

  constructor(private readonly adapterHost: HttpAdapterHost) {}

  onApplicationBootstrap(): void {
    const server = this.adapterHost.httpAdapter?.getHttpServer() as Server | undefined;
    if (!server) return;
    this.server = server;
    server.on('connection', (socket: Socket) => {
      this.sockets.set(socket, performance.now());
      socket.once('close', () => this.sockets.delete(socket));
    });
    server.prependListener('request', (_request: IncomingMessage, response: ServerResponse) => {
      if (this.draining) response.setHeader('Connection', 'close');
    });
  }

  /** Continues to answer requests, but closes each connection after its answer, also those in use now. */
  begin(): void {
    this.draining = true;
    for (const socket of this.sockets.keys()) {
      const answer = answerOn(socket);
      if (answer && !answer.headersSent) answer.setHeader('Connection', 'close');
    }
  }

  beforeApplicationShutdown(): void {
    if (!this.server) return;
    this.begin();
    this.closeIdle();
    this.sweep = setInterval(() => this.closeIdle(), SWEEP_MS);
    this.end = setTimeout(() => this.server?.closeAllConnections(), LONGEST_DRAIN_MS);
  }

  onApplicationShutdown(): void {
    if (this.sweep) clearInterval(this.sweep);
    if (this.end) clearTimeout(this.end);
  }

  private closeIdle(): void {
    this.server?.closeIdleConnections();
    const silentSince = performance.now() - SILENT_MS;
    for (const [socket, acceptedAt] of this.sockets) {
      if (socket.bytesRead === 0 && acceptedAt < silentSince) socket.destroy();
    }
  }
}

/** The answer that is being made on a connection; Node keeps it there without saying so in its types. */
function answerOn(socket: Socket): ServerResponse | null {
  return (socket as Socket & { _httpMessage?: ServerResponse | null })._httpMessage ?? null;
}
