import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const WORKER = fileURLToPath(new URL('./worker.js', import.meta.url));
const MS_TO_END = 5_000;
/** Young objects are looked through less often: 5 % less CPU for a run. */
const MEMORY_OPTIONS = ['--max-semi-space-size=64', '--expose-gc'];

/** One lane of a run: a process at a time, a new one after a crash and when the old one has grown too big. */
export class WorkerProcess {
  #lane;
  #config;
  #child = null;

  constructor(lane, globalConfig) {
    this.#lane = lane;
    this.#config = globalConfig;
  }

  /** @returns jest's result of one test file */
  async run(path, projectConfig) {
    this.#child ??= this.#start();
    const child = this.#child;
    child.send({ path, project: about(projectConfig), run: this.#options() });
    const { result, failure, rssBytes } = await answerOf(child);
    if (rssBytes === undefined) this.#child = null;
    else if (rssBytes > (this.#config.workerIdleMemoryLimit ?? Infinity)) await this.end();
    if (failure) throw failure;
    return result;
  }

  async end() {
    const child = this.#child;
    this.#child = null;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, 'exit');
    const late = setTimeout(() => child.kill('SIGKILL'), MS_TO_END);
    child.disconnect();
    await exited;
    clearTimeout(late);
  }

  #start() {
    return fork(WORKER, {
      execArgv: [...MEMORY_OPTIONS, '--enable-source-maps', '--disable-warning=ExperimentalWarning'],
      env: { ...process.env, NODE_ENV: 'test', JEST_WORKER_ID: String(this.#lane) },
    });
  }

  #options() {
    const { testNamePattern, expand, noStackTrace, workerIdleMemoryLimit } = this.#config;
    return { testNamePattern, expand, noStackTrace, workerIdleMemoryLimit };
  }
}

function about({ displayName, rootDir, testTimeout, slowTestThreshold, testMatch }) {
  return { displayName, rootDir, testTimeout, slowTestThreshold, testMatch };
}

/** A process that dies fails the file that it was running, no other. */
function answerOf(child) {
  return new Promise((resolve) => {
    const died = (code, signal) => {
      child.off('message', answered);
      const message = `The process that ran the tests of this file ended with ${signal ?? code}.`;
      resolve({ failure: { message, stack: message } });
    };
    const answered = (answer) => {
      child.off('exit', died);
      resolve(answer);
    };
    child.once('message', answered);
    child.once('exit', died);
  });
}
