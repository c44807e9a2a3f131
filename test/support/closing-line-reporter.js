import { writeSync } from 'node:fs';

/**
 * Prints `N passed, N failed` as the very last line, after the teardown and whatever jest itself still has to say.
 * A file that cannot be run at all counts as one failure.
 */
export default class ClosingLineReporter {
  onRunComplete(_contexts, results) {
    const failed = results.numFailedTests + results.numRuntimeErrorTestSuites + (results.runExecError ? 1 : 0);
    printAtExit(`${results.numPassedTests} passed, ${failed} failed`);
  }
}

/** Also used by the set-up, without which no reporter is asked. Not by a stream: jest silences those when it fails. */
export function printAtExit(line) {
  process.once('exit', () => writeSync(1, `${line}\n`));
}
