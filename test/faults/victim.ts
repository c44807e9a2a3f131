import { freePort } from '../support/free-port.js';
import { type ProcessEnvironment, type ServiceProcess, startProcess } from '../support/service-process.js';
import { eventually } from '../support/wait.js';
import { WireProxy } from './wire-proxy.js';

/** A web process that is killed and started again, with its own proxy before its database. */
export class Victim {
  /** Milliseconds until it was ready again, of each start. */
  readonly starts: number[] = [];
  private process: ServiceProcess;

  private constructor(
    readonly proxy: WireProxy,
    private readonly env: ProcessEnvironment,
  ) {}

  static async start(databaseUrl: string, env: ProcessEnvironment = {}): Promise<Victim> {
    const proxy = await WireProxy.before(databaseUrl);
    const port = String(await freePort());
    const victim = new Victim(proxy, { ...env, PORT: port, DATABASE_URL: proxy.through(databaseUrl) });
    await victim.revive();
    return victim;
  }

  get url(): string {
    return `http://127.0.0.1:${this.env['PORT']}`;
  }

  /** Resolves when it is ready. */
  async revive(): Promise<void> {
    const begun = performance.now();
    this.process = await startProcess('dist/main.js', this.env);
    await eventually('it is ready', async () => (await fetch(`${this.url}/health/ready`)).ok, { every: 10 });
    this.starts.push(performance.now() - begun);
  }

  kill(): void {
    void this.process.kill('SIGKILL');
  }

  get died(): Promise<unknown> {
    return this.process.exited;
  }

  async stop(): Promise<void> {
    await this.process.kill('SIGKILL');
    await this.proxy.close();
  }
}
