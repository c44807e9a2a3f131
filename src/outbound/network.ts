import type { LookupAddress } from 'node:dns';
import type { Socket } from 'node:net';

/** DNS and sockets, injected so that tests can replace them. */
export abstract class Network {
  /** Certificate authorities (PEM) that replace the system's; undefined: the system's. */
  abstract readonly authorities: string | undefined;

  /** All current addresses of a name. @throws Error if it has none */
  abstract resolve(name: string): Promise<readonly LookupAddress[]>;

  /** Starts a connection to one of these addresses, and to no others. */
  abstract dial(addresses: readonly LookupAddress[], port: number): Socket;
}
