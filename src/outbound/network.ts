import type { LookupAddress } from 'node:dns';
import type { Socket } from 'node:net';

/** Names and sockets, handed in so that tests can say what a name means and see where connections go. */
export abstract class Network {
  /** Certificate authorities (PEM) in place of the system's; undefined: the system's. */
  abstract readonly authorities: string | undefined;

  /** Everything that a name means now. @throws Error where it means nothing */
  abstract resolve(name: string): Promise<readonly LookupAddress[]>;

  /** A connection to one of these addresses, under way. Nothing else is asked or tried. */
  abstract dial(addresses: readonly LookupAddress[], port: number): Socket;
}
