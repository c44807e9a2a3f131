import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import {
  type BeforeApplicationShutdown,
  Injectable,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
} from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';

/** Interval at which idle connections are closed while the process shuts down. */
const SWEEP_MS = 50;
/** Time before a connection without a single byte is closed: its first request may be arriving. */
const SILENT_MS = 500;
/**
 * Requests that are not answered after this time are aborted, so that one slow client does not make the shutdown fail.
 */
const MAX_DRAIN_MS = 8_000;

/**
 * Closes the keep-alive connections of a process that shuts down. After `begin` every answer has `Connection: close`,
 * so that clients disconnect. When the application closes, idle connections are closed, and others as soon as they are
 * answered. Node's `close` alone waits for clients that are connected and send nothing.
 */
@Injectable()
export class ConnectionDrain implements OnApplicationBootstrap, BeforeApplicationShutdown, OnApplicationShutdown {
  /** Open connections with the time at which they were accepted, in milliseconds of `performance.now()`. */
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

  /** Continues to answer requests, but closes each connection after its next answer. */
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
    this.end = setTimeout(() => this.server?.closeAllConnections(), MAX_DRAIN_MS);
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

/** The response that is in progress on a connection. Node stores it there, but its types do not say so. */
export function answerOn(socket: Socket): ServerResponse | null {
  return (socket as Socket & { _httpMessage?: ServerResponse | null })._httpMessage ?? null;
}
