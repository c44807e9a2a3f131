/** A command that does not run: why, and an exit code that scripts see. */
export function refuse(message: string): void {
  process.stderr.write(`${message}\n`);
  process.exitCode = 1;
}
