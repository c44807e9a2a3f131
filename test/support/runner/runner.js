import { neededPrograms } from './needed-programs.js';
import { Progress } from './progress.js';
import { resultOfNotRun } from './result.js';
import { WorkerProcess } from './worker-process.js';
import { missingPrograms } from '../servers/missing-programs.js';

/**
 * jest's `runner`: hands the test files to a few long-lived processes. Each of them loads the service once; jest's own
 * runner loads it into a fresh VM for every file, which takes longer than the tests. What one file could leave for the
 * next one in its process is looked for after each of them (`leftovers.js`).
 */
export default class SharedProcessRunner {
  supportsEventEmitters = false;

  constructor(globalConfig) {
    this.config = globalConfig;
  }

  async runTests(tests, watcher, onStart, onResult, onFailure) {
    const queue = [...tests];
    const progress = new Progress(tests);
    const runQueue = async (lane) => {
      const worker = new WorkerProcess(lane, this.config);
      while (queue.length > 0 && !watcher.isInterrupted()) {
        const test = queue.shift();
        progress.started(test);
        await onStart(test);
        await runFile(worker, test).then(
          (result) => onResult(test, result),
          (error) => onFailure(test, error),
        );
        progress.finished(test);
      }
      await worker.end();
    };
    const lanes = Math.min(this.config.maxWorkers, tests.length);
    await Promise.all(Array.from({ length: lanes }, (_, index) => runQueue(index + 1)));
  }
}

/** Files that need a program which this machine lacks are told apart from those that passed (`closing-line-reporter.js`). */
async function runFile(worker, { path, context: { config } }) {
  const missing = missingPrograms();
  const lacking = Object.keys(missing).length > 0 ? neededPrograms(path).find((name) => name in missing) : undefined;
  return lacking ? resultOfNotRun(path, config, lacking) : worker.run(path, config);
}
