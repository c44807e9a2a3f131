import type { LookupAddress } from 'node:dns';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, isIP, type Server, type Socket } from 'node:net';
import { Network } from '../../src/outbound/network.js';
import { TEST_CERTIFICATE } from './test-certificate.js';

/** A public address; in these tests the receiver stands there. */
export const PUBLIC_ADDRESS = '93.184.215.14';

/**
 * Names mean what the test says, and every connection ends on this machine: one to {@link PUBLIC_ADDRESS} at the
 * receiver, one to anything else at a canary on loopback, which must stay silent.
 */
export class FakeNetwork extends Network {
  override readonly authorities = TEST_CERTIFICATE;
  /** Names that were asked for, and addresses that were dialled, in order. */
  readonly asked: string[] = [];
  readonly dialled: string[] = [];
  /** Connections that reached the canary. */
  contacts = 0;
  private readonly answers = new Map<string, string[][]>();

  private constructor(
    private readonly receiverPort: number,
    private readonly canary: Server,
  ) {
    super();
    canary.on('connection', (socket) => {
      this.contacts++;
      socket.destroy();
    });
  }

  static async open(receiverPort: number): Promise<FakeNetwork> {
    const canary = createServer().listen(0, '127.0.0.1');
    await once(canary, 'listening');
    return new FakeNetwork(receiverPort, canary);
  }

  /** What a name means at the first question, at the second, …; the last answer stays. None: it means nothing. */
  set(name: string, ...answers: string[][]): void {
    this.answers.set(name, answers);
  }

  override async resolve(name: string): Promise<LookupAddress[]> {
    this.asked.push(name);
    const answers = this.answers.get(name) ?? [];
    const answer = answers.length > 1 ? answers.shift() : answers[0];
    if (!answer) throw Object.assign(new Error(`queryA ENOTFOUND ${name}`), { code: 'ENOTFOUND' });
    return answer.map((address) => ({ address, family: isIP(address) }));
  }

  override dial(addresses: readonly LookupAddress[]): Socket {
    const [{ address }] = addresses as [LookupAddress];
    this.dialled.push(address);
    const port = address === PUBLIC_ADDRESS ? this.receiverPort : (this.canary.address() as AddressInfo).port;
    return connect(port, '127.0.0.1');
  }

  close(): void {
    this.canary.close();
  }
}
