import { join } from 'node:path';
import { Balancer } from '../support/balancer.js';
import { freePort } from '../support/free-port.js';
import { type Exit, type ProcessEnvironment, type ServiceProcess, startProcess } from '../support/service-process.js';
import { eventually } from '../support/wait.js';

const ALL = { RATE_LIMITS: 'off', LOG_LEVEL: 'warn' };

/** The service as it runs in production: two web processes behind a balancer, and a worker. */
export class Service {
  private constructor(
    private readonly env: ProcessEnvironment,
    private readonly ports: readonly string[],
    readonly webs: ServiceProcess[],
    public worker: ServiceProcess,
    readonly balancer: Balancer,
  ) {}

  /**
   * @param own of the second web process alone
   * @param root of the checkout whose `dist` is started
   */
  static async start(env: ProcessEnvironment, own: ProcessEnvironment = {}, root = ''): Promise<Service> {
    const ports = [String(await freePort()), String(await freePort())];
    const all = { ...ALL, BASE_URL: `http://127.0.0.1:${ports[0]}`, ...env };
    const webs = await Promise.all([
      startProcess(join(root, 'dist/main.js'), { ...all, PORT: ports[0] }),
      startProcess(join(root, 'dist/main.js'), { ...all, PORT: ports[1], ...own }),
    ]);
    const worker = await startWorker(all, join(root, 'dist/worker.js'));
    const balancer = await Balancer.before(ports.map((port) => `http://127.0.0.1:${port}`));
    return new Service(all, ports, webs, worker, balancer);
  }

  get url(): string {
    return this.balancer.url;
  }

  /** Of one web process. */
  address(index: number): string {
    return `http://127.0.0.1:${this.ports[index]}`;
  }

  async end(index: number, signal: NodeJS.Signals): Promise<Exit & { readonly ms: number }> {
    const begun = performance.now();
    const exit = await this.webs[index]!.kill(signal);
    return { ...exit, ms: performance.now() - begun };
  }

  /** Starts it again after its end. @returns milliseconds until it was ready */
  async begin(index: number, entry = 'dist/main.js'): Promise<number> {
    const begun = performance.now();
    this.webs[index] = await startProcess(entry, { ...this.env, PORT: this.ports[index] });
    await eventually('it is ready', () => this.isReady(index), { within: 60_000, every: 10 });
    return performance.now() - begun;
  }

  async restartWorker(signal: NodeJS.Signals, entry = 'dist/worker.js'): Promise<void> {
    await this.worker.kill(signal);
    this.worker = await startWorker(this.env, entry);
  }

  async isReady(index: number): Promise<boolean> {
    return fetch(`${this.address(index)}/health/ready`).then(
      (answer) => answer.ok,
      () => false,
    );
  }

  /** Until both are ready, and the balancer knows. */
  async recovered(within = 30_000): Promise<void> {
    const ready = async () => (await this.isReady(0)) && (await this.isReady(1)) && this.balancer.healthy === 2;
    await eventually('both processes are ready', ready, { within, every: 20 });
  }

  async stop(): Promise<void> {
    await this.balancer.close();
    await Promise.all([...this.webs, this.worker].map((process) => process.kill('SIGKILL')));
  }
}

function startWorker(env: ProcessEnvironment, entry: string): Promise<ServiceProcess> {
  return startProcess(entry, { ...env, LOG_LEVEL: 'info' }, { readyLine: /Worker is running/ });
}
