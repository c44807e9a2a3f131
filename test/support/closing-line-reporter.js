import { writeSync } from 'node:fs';
import { missingPrograms } from './servers/missing-programs.js';

/**
 * Prints `N passed, N failed` as the very last line, after the teardown and whatever jest itself still has to say. A
 * file that cannot be run at all counts as one failure. Before it stands what was not run because this machine lacks a
 * program, which is a failure where `CI` is set.
 */
export default class ClosingLineReporter {
  #lacking = [];

  onRunComplete(_contexts, results) {
    this.read(results.testResults);
    const failed = results.numFailedTests + results.numRuntimeErrorTestSuites + (results.runExecError ? 1 : 0);
    const lines = [
      ...this.#lacking.flatMap(notRun),
      `${results.numPassedTests} passed, ${failed + this.#faults()} failed`,
    ];
    printAtExit(lines.join('\n'));
  }

  read(testResults) {
    this.#lacking = lackingPrograms(testResults);
  }

  /** jest fails a run of which a reporter says so. */
  getLastError() {
    return this.#faults() > 0 ? new Error('Not everything could be run, see the last lines.') : undefined;
  }

  #faults() {
    return process.env.CI ? this.#lacking.length : 0;
  }
}

/** Also used by the set-up, without which no reporter is asked. Not by a stream: jest silences those when it fails. */
export function printAtExit(text) {
  process.once('exit', () => writeSync(1, `${text}\n`));
}

function lackingPrograms(testResults) {
  const names = testResults.map(({ notRunFor }) => notRunFor).filter(Boolean);
  return [...new Set(names)].map((name) => ({ name, files: names.filter((each) => each === name).length }));
}

function notRun({ name, files }) {
  const advice = missingPrograms()[name];
  return [`Not run, because this machine has no ${name}: ${files === 1 ? '1 file' : `${files} files`}. ${advice}`];
}
