import { spawn } from 'node:child_process';
import { once } from 'node:events';

/** The shell ends the server when its standard input closes: also when the tests are killed. */
const GUARDED = 'server=$1; shift; "$server" "$@" & child=$!; read -r line; kill -TERM "$child"; wait "$child"';

/** Starts a server that never outlives this process. */
export function startGuarded(program, options) {
  const shell = spawn('/bin/sh', ['-c', GUARDED, 'sh', program, ...options], {
    detached: true,
    stdio: ['pipe', 'ignore', 'inherit'],
  });
  return {
    stop: async () => {
      const exited = once(shell, 'exit');
      shell.stdin.end();
      await exited;
    },
  };
}
