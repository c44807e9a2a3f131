import { setImmediate as nextTurn } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { addEventHandler, getState, resetState, run } from 'jest-circus';
import { jestExpect } from '@jest/expect';
import { Leftovers } from './leftovers.js';
import { NOT_BEGUN, resultOf } from './result.js';
import { catchStrayErrors } from './stray-errors.js';

/** Tests whose own function was called: not those whose set-up failed. */
const begun = new WeakSet();
const TURNS = new Set(['test_fn_success', 'test_fn_failure', 'run_finish']);

addEventHandler(async (event) => {
  if (event.name === 'test_start') startOf(event.test);
  if (event.name === 'test_fn_start' && event.test.errors.length === 0) begun.add(event.test);
  if (event.name === 'test_done') endOf(event.test);
  // Node tells of promises that nobody waited for when all others have gone on.
  if (TURNS.has(event.name)) await nextTurn();
});
catchStrayErrors();
// Ten lines end within the matcher that failed.
Error.stackTraceLimit = 100;

/** @returns the result of one test file, as jest's reporters read it */
export async function runFile({ path, project, run: { testNamePattern, expand, noStackTrace } }) {
  const start = Date.now();
  const before = new Leftovers();
  resetState();
  const state = getState();
  state.testTimeout = project.testTimeout;
  state.testNamePattern = testNamePattern ? new RegExp(testNamePattern, 'i') : null;
  jestExpect.setState({ expand, testPath: path, currentTestName: undefined });
  await import(pathToFileURL(path).href);
  const outcome = await run();
  forget(state.rootDescribeBlock);
  const left = await before.since();
  return resultOf({ path, project, noStackTrace, start, outcome, left });
}

function startOf(test) {
  jestExpect.setState({ currentTestName: namesOf(test).join(' '), suppressedErrors: [] });
}

/** The error that each test is made with holds the functions of its stack, and with them a whole service for each file. */
function forget({ hooks, children }) {
  for (const hook of hooks.splice(0)) hook.fn = hook.asyncError = null;
  for (const child of children.splice(0)) {
    if (child.type === 'describeBlock') forget(child);
    else child.fn = child.asyncError = null;
  }
}

/** `expect.assertions` and the matchers that do not throw at once. */
function endOf(test) {
  const { suppressedErrors, isExpectingAssertions } = jestExpect.getState();
  const expected = jestExpect.extractExpectedAssertionsErrors();
  jestExpect.setState({ suppressedErrors: [] });
  test.errors.push(...suppressedErrors);
  if (!begun.has(test)) test.errors.push(new Error(NOT_BEGUN));
  if (!isExpectingAssertions || test.errors.length === 0) test.errors.push(...expected.map(({ error }) => error));
}

function namesOf(test) {
  const names = [];
  for (let block = test; block.parent; block = block.parent) names.unshift(block.name);
  return names;
}
