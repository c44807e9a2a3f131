import { type ChildProcess, spawn } from 'node:child_process';
import type { Socket } from 'node:net';
import { spawnAs, type ServerAccount } from './server-account.js';

/** Waits for a line; when our end of the pipe closes without one, we were killed, and the server is stopped. */
const SCRIPT = 'read -r line || { [ "$(head -n 1 "$2/postmaster.pid")" = "$1" ] && kill -INT "$1"; }';

/**
 * A shell that ends the database server when this process dies without being able to (kill -9, process.exit): the
 * kernel then closes our end of its pipe. Without it every killed test run would leave a server behind.
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
    shell.on('error', () => undefined); // only a convenience: the next start also looks for leftovers
    shell.stdin.on('error', () => undefined);
    shell.unref();
    (shell.stdin as Socket).unref();
    return new OrphanGuard(shell);
  }

  dismiss(): void {
    this.shell?.stdin?.end('\n');
  }
}
