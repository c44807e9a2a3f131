import { freePort } from './free-port.js';
import { type ProcessEnvironment, type ServiceProcess, startProcess } from './service-process.js';

/** Two real processes that are one service: same issuer, same database, same Redis. */
export interface ServicePair {
  readonly addresses: readonly [string, string];
  readonly processes: readonly [ServiceProcess, ServiceProcess];
  /** `count` requests at once, every other one to each process. */
  atOnce<T>(count: number, request: (address: string, index: number) => Promise<T>): Promise<T[]>;
  stop(): Promise<void>;
}

export async function startPair(env: ProcessEnvironment = {}): Promise<ServicePair> {
  const ports = [await freePort(), await freePort()] as const;
  const addresses = [`http://127.0.0.1:${ports[0]}`, `http://127.0.0.1:${ports[1]}`] as const;
  const start = (port: number) => startProcess('dist/main.js', { PORT: String(port), BASE_URL: addresses[0], ...env });
  const processes = await bothOrNone([start(ports[0]), start(ports[1])]);
  return {
    addresses,
    processes,
    atOnce: (count, request) =>
      Promise.all(Array.from({ length: count }, (_, index) => request(addresses[index % 2]!, index))),
    stop: async () => {
      await Promise.all(processes.map((process) => process.kill()));
    },
  };
}

/** Where one does not start, the other is ended. */
async function bothOrNone(
  starting: readonly [Promise<ServiceProcess>, Promise<ServiceProcess>],
): Promise<ServicePair['processes']> {
  try {
    return await Promise.all(starting);
  } catch (error) {
    const settled = await Promise.allSettled(starting);
    const started = settled.filter((each) => each.status === 'fulfilled');
    await Promise.all(started.map(({ value }) => value.kill()));
    throw error;
  }
}
