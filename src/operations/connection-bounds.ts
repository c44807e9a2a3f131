import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { Inject, Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { SETTINGS, type Settings } from '../config/settings.js';
import { answerOn } from '../common/http/express/connection-drain.js';
import { clientAddressKey } from '../rate-limits/client-address.js';

/** One network (an IPv4 address, an IPv6 /64) has at most this part of all connections: a quarter. */
const PART_OF_ONE = 4;
/** A full process closes this part of its connections together, so that it does not search for each new connection of a flood. */
const PART_CLOSED = 64;
const LOG_EVERY_MS = 60_000;

/**
 * Bounds the connections of a web process, so that a client that opens very many and sends nothing does not keep others out.
 * A new connection is accepted, and old ones without a request in progress are closed: first those of the network with the
 * most connections. Nothing is done per request.
 */
@Injectable()
export class ConnectionBounds implements OnApplicationBootstrap {
  private readonly logger = new Logger(ConnectionBounds.name);
  /** Open connections by network, the oldest first. */
  private readonly open = new Map<string, Set<Socket>>();
  private count = 0;
  private loggedAt = -Infinity;
  private readonly most: number;
  private readonly mostOfOne: number;

  constructor(
    private readonly adapterHost: HttpAdapterHost,
    @Inject(SETTINGS) { maxConnections, trustProxy }: Settings,
  ) {
    this.most = maxConnections;
    // A proxy opens the connections of all clients.
    this.mostOfOne = trustProxy > 0 ? maxConnections : Math.ceil(maxConnections / PART_OF_ONE);
  }

  onApplicationBootstrap(): void {
    const server = this.adapterHost.httpAdapter?.getHttpServer() as Server | undefined;
    server?.on('connection', (socket: Socket) => this.admit(socket));
  }

  private admit(socket: Socket): void {
    const network = clientAddressKey(socket.remoteAddress);
    if (!this.makeRoom(network)) {
      socket.destroy();
      return;
    }
    const own = this.open.get(network) ?? new Set();
    this.open.set(network, own.add(socket));
    this.count++;
    socket.once('close', () => this.leave(network, socket));
  }

  private makeRoom(network: string): boolean {
    const own = this.open.get(network);
    if (own && own.size >= this.mostOfOne) {
      this.log(`One network has ${own.size} connections`);
      return this.close(network, own, 1) > 0;
    }
    if (this.count < this.most) return true;
    this.log(`${this.count} connections (MAX_CONNECTIONS)`);
    let left = Math.ceil(this.most / PART_CLOSED);
    const before = left;
    for (const [each, sockets] of [...this.open].sort(([, one], [, other]) => other.size - one.size)) {
      left -= this.close(each, sockets, Math.min(left, Math.ceil(sockets.size / 2)));
      if (left === 0) break;
    }
    return left < before;
  }

  /** Closes connections without a request first, then those whose request is not complete. @returns how many were closed */
  private close(network: string, sockets: ReadonlySet<Socket>, wanted: number): number {
    const all = [...sockets];
    const idle = all.filter((socket) => answerOn(socket) === null);
    const unfinished = all.filter((socket) => answerOn(socket)?.req.complete === false);
    const chosen = [...idle, ...unfinished].slice(0, wanted);
    for (const socket of chosen) {
      this.leave(network, socket);
      socket.destroy();
    }
    return chosen.length;
  }

  /** Does nothing the second time: the `close` event of a connection that was closed here comes later. */
  private leave(network: string, socket: Socket): void {
    const own = this.open.get(network);
    if (!own?.delete(socket)) return;
    this.count--;
    if (own.size === 0) this.open.delete(network);
  }

  private log(what: string): void {
    if (performance.now() - this.loggedAt < LOG_EVERY_MS) return;
    this.loggedAt = performance.now();
    this.logger.warn(`${what}: idle ones are closed for new ones`);
  }
}
