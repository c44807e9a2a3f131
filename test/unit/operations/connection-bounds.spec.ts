import { EventEmitter } from 'node:events';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { ConnectionBounds } from '../../../src/operations/connection-bounds.js';

const MOST = 32;
const OF_ONE = MOST / 4;

class FakeSocket extends EventEmitter {
  isOpen = true;

  constructor(readonly remoteAddress: string) {
    super();
  }

  destroy(): void {
    this.isOpen = false;
  }
}

/** A server whose connections come from these addresses, in this order. */
function connectFrom(addresses: string[]): FakeSocket[] {
  const server = new EventEmitter();
  const settings = { maxConnections: MOST, trustProxy: 0 } as ConstructorParameters<typeof ConnectionBounds>[1];
  const adapterHost = { httpAdapter: { getHttpServer: () => server } };
  new ConnectionBounds(
    adapterHost as ConstructorParameters<typeof ConnectionBounds>[0],
    settings,
  ).onApplicationBootstrap();
  return addresses.map((address) => {
    const socket = new FakeSocket(address);
    server.emit('connection', socket);
    return socket;
  });
}

const many = (addressOf: (n: number) => string) => Array.from({ length: OF_ONE + 4 }, (_, n) => addressOf(n));
const open = (sockets: FakeSocket[]) => sockets.filter(({ isOpen }) => isOpen).length;

// F17
describe('ConnectionBounds', () => {
  beforeAll(() => Logger.overrideLogger(false));
  afterAll(() => Logger.overrideLogger(true));

  it.each([
    ['the addresses of an IPv6 /64', (n: number) => `2001:db8:0:1::${(n + 1).toString(16)}`],
    ['one IPv4 address, mapped or not', (n: number) => (n % 2 ? '::ffff:192.0.2.7' : '192.0.2.7')],
  ])('gives %s a quarter together', (_, addressOf) => {
    expect(open(connectFrom(many(addressOf)))).toBe(OF_ONE);
  });

  it.each([
    ['each IPv6 /64', (n: number) => `2001:db8:0:${(n + 1).toString(16)}::1`],
    ['each IPv4 address', (n: number) => `192.0.2.${n + 1}`],
  ])('counts %s apart', (_, addressOf) => {
    expect(open(connectFrom(many(addressOf)))).toBe(OF_ONE + 4);
  });
});
