/** Ends a command with an error message and an exit code for scripts. */
export function refuse(message: string): void {
  process.stderr.write(`${message}\n`);
  process.exitCode = 1;
}
