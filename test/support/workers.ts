import { type ProcessEnvironment, type ServiceProcess, startProcess } from './service-process.js';

/** Worker processes of one service. A start takes a second of a core, so a test takes those that another one has left. */
export class Workers {
  private running: ServiceProcess[] = [];

  constructor(private readonly env: () => ProcessEnvironment) {}

  /** One more. */
  async start(): Promise<ServiceProcess> {
    const worker = await startProcess('dist/worker.js', this.env(), { readyLine: /Worker is running/ });
    this.running.push(worker);
    void worker.exited.then(() => (this.running = this.running.filter((each) => each !== worker)));
    return worker;
  }

  /** Those that run, after some were killed or started. */
  async exactly(count: number): Promise<ServiceProcess[]> {
    await Promise.all(this.running.slice(count).map((worker) => worker.kill('SIGKILL')));
    const missing = Array.from({ length: count - this.running.length }, () => this.start());
    await Promise.all(missing);
    return [...this.running];
  }

  async kill(): Promise<void> {
    await this.exactly(0);
  }
}
