import { type ChildProcess, spawn } from 'node:child_process';
import type { Socket } from 'node:net';
import { spawnAs, type ServerAccount } from './server-account.js';

/**
 * Waits for a line. If the other end of the pipe closes without one, this process was killed, and the server is
 * stopped.
 */
const SCRIPT = 'read -r line || { [ "$(head -n 1 "$2/postmaster.pid")" = "$1" ] && kill -INT "$1"; }';

/**
 * A shell that stops the database server if this process dies without doing so (kill -9, process.exit): the kernel then
 * closes its end of the pipe. Without it, every killed test run would leave a server behind.
 */
export class OrphanGuard {
  private constructor(private readonly shell: ChildProcess | null) {}

  static watch(postmaster: number, data: string, account: ServerAccount): OrphanGuard {
    if (process.platform === 'win32') return new OrphanGuard(null);
    const shell = spawn('/bin/sh', ['-c', SCRIPT, 'sh', String(postmaster), data], {
      ...spawnAs(account),
      detached: true,
      stdio: ['pipe', 'ignore', 'ignore'],
    });
    shell.on('error', () => undefined); // optional: the next start also looks for leftover servers
    shell.stdin.on('error', () => undefined);
    shell.unref();
    (shell.stdin as Socket).unref();
    return new OrphanGuard(shell);
  }

  dismiss(): void {
    this.shell?.stdin?.end('\n');
  }
}
