import { once } from 'node:events';
import { isIP, type Socket } from 'node:net';
import { buildConnector } from 'undici';
import { isPublicAddress } from './address.rules.js';
import type { Network } from './network.js';
import { NoAnswerInTime, TargetRefused } from './outbound.errors.js';

/** Milliseconds to connect, and the same again for the TLS handshake. */
const CONNECT_TIMEOUT_MS = 5_000;

/**
 * Opens connections: a name is resolved once, all of its addresses are checked, and the connection is made to a checked
 * address. A name with one disallowed address is refused. A keep-alive connection keeps its checked address.
 */
export function guardedConnector(network: Network, allowPrivate: boolean): buildConnector.connector {
  const secure = buildConnector({ timeout: CONNECT_TIMEOUT_MS, ca: network.authorities });
  return (options, callback) => {
    openSocket(network, options, allowPrivate)
      .then((socket) => {
        if (options.protocol === 'https:') secure({ ...options, httpSocket: socket }, callback);
        else callback(null, socket);
      })
      .catch((error: Error) => callback(error, null));
  };
}

async function openSocket(
  network: Network,
  { hostname, protocol, port }: buildConnector.Options,
  allowPrivate: boolean,
): Promise<Socket> {
  const host = hostname.replace(/^\[|\]$/g, '');
  const family = isIP(host);
  const addresses = family ? [{ address: host, family }] : await network.resolve(host);
  const isRefused = !allowPrivate && !addresses.every(({ address }) => isPublicAddress(address));
  if (isRefused || addresses.length === 0) throw new TargetRefused('It leads to a private address');
  const socket = network.dial(addresses, Number(port) || (protocol === 'https:' ? 443 : 80));
  socket.on('error', () => undefined); // a waiting request gets the error; between two requests it must not end the process
  const deadline = AbortSignal.timeout(CONNECT_TIMEOUT_MS);
  try {
    await once(socket, 'connect', { signal: deadline });
  } catch (error) {
    socket.destroy();
    throw deadline.aborted ? new NoAnswerInTime(CONNECT_TIMEOUT_MS) : error;
  }
  return socket.setNoDelay(true);
}
