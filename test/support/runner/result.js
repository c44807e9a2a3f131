import { formatExecError, formatResultsErrors } from 'jest-message-util';

/** Beside the error of the set-up; scripts/sabotage.mjs reads it. */
export const NOT_BEGUN = 'The test itself was not begun: what comes before it failed.';

const EMPTY = {
  snapshot: { added: 0, fileDeleted: false, matched: 0, unchecked: 0, uncheckedKeys: [], unmatched: 0, updated: 0 },
  leaks: false,
  openHandles: [],
};

/** A test file's result in the form that jest's reporters read. */
export function resultOf({ path, project, noStackTrace, start, outcome, left }) {
  const testResults = outcome.testResults.map(caseOf);
  const count = (status) => testResults.filter((each) => each.status === status).length;
  const options = { noStackTrace };
  const faults = [...outcome.unhandledErrorsDetailed, ...(left.length > 0 ? [leftBehind(left)] : [])];
  const messages = [
    formatResultsErrors(testResults, project, options, path),
    ...faults.map((error) => formatExecError(shown(error), project, options, path)),
  ].filter(Boolean);
  const end = Date.now();
  return {
    ...EMPTY,
    testFilePath: path,
    displayName: project.displayName,
    testResults,
    numPassingTests: count('passed'),
    numFailingTests: count('failed'),
    numPendingTests: count('pending'),
    numTodoTests: count('todo'),
    skipped: testResults.length > 0 && count('pending') === testResults.length,
    failureMessage: messages.length > 0 ? messages.join('\n\n') : null,
    testExecError:
      faults.length > 0 ? { message: '', stack: faults.map((fault) => shown(fault).stack).join('\n') } : undefined,
    perfStats: { start, end, runtime: end - start, slow: end - start > project.slowTestThreshold * 1_000 },
  };
}

/** Of a file that was not run for want of a program. */
export function resultOfNotRun(path, { displayName }, program) {
  const now = Date.now();
  const title = `not run: this machine has no ${program}`;
  return {
    ...EMPTY,
    testFilePath: path,
    displayName,
    testResults: [caseOf({ testPath: ['', title], status: 'skip', errors: [], invocations: 0 })],
    numPassingTests: 0,
    numFailingTests: 0,
    numPendingTests: 1,
    numTodoTests: 0,
    skipped: true,
    notRunFor: program,
    failureMessage: null,
    perfStats: { start: now, end: now, runtime: 0, slow: false },
  };
}

function caseOf({ testPath, status, errors, duration, startedAt, invocations, numPassingAsserts, failing }) {
  const names = testPath.slice(1); // the first one is the file's own block
  return {
    ancestorTitles: names.slice(0, -1),
    title: names.at(-1),
    fullName: names.join(' '),
    status: statusOf(status, errors),
    duration,
    startAt: startedAt,
    failing,
    failureDetails: [],
    failureMessages: errors.map(withoutFrames),
    invocations,
    location: null,
    numPassingAsserts,
    retryReasons: [],
  };
}

function statusOf(status, errors) {
  if (status === 'skip') return 'pending';
  if (status === 'todo') return 'todo';
  return errors.length > 0 ? 'failed' : 'passed';
}

function leftBehind(left) {
  const error = new Error(
    `This file left behind, for those that run after it in the same process: ${left.join(', ')}.`,
  );
  error.stack = error.message;
  return error;
}

/** A file may throw anything. */
function shown(error) {
  const { message = String(error), stack = message } = error ?? {};
  return { message, stack: withoutFrames(stack) };
}

/** Paths as jest shows them, without the frames that belong to the runner. */
function withoutFrames(stack) {
  return stack.replaceAll('file://', '').replaceAll(/\n +at .*\/test\/support\/runner\/.*/g, '');
}
