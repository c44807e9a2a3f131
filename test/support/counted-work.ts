import { mock } from 'node:test';
import type pg from 'pg';
import { ImpatientClient } from '../../src/database/connection/impatient-client.js';
import { isBackgroundWork } from './background-work.js';

const TIMES = 10;

/**
 * The statements that the services in this process make for an attempt, in alphabetical order. What they do after a
 * notification or for a periodic job does not count. The attempt is made several times: what comes every time belongs to
 * it, what comes now and then is work of the background. Counted rather than timed, so that a busy machine changes
 * nothing.
 */
export async function statementsOf(attempt: () => Promise<unknown>): Promise<string[]> {
  const { query } = ImpatientClient.prototype;
  let made: string[] = [];
  const counting = mock.method(ImpatientClient.prototype, 'query', function (this: pg.Client, ...args: unknown[]) {
    if (!isBackgroundWork()) made.push(textOf(args[0]));
    return Reflect.apply(query, this, args) as unknown;
  } as typeof query);
  try {
    let common: string[] | null = null;
    for (let time = 0; time < TIMES; time++) {
      made = [];
      await attempt();
      common = common === null ? made : inBoth(common, made);
    }
    return common!.sort();
  } finally {
    counting.mock.restore();
  }
}

function textOf(query: unknown): string {
  return typeof query === 'string' ? query : (query as { text: string }).text;
}

/** As often as in the one in which it is rarer. */
function inBoth(some: readonly string[], others: readonly string[]): string[] {
  const left = [...others];
  return some.filter((text) => {
    const place = left.indexOf(text);
    if (place >= 0) left.splice(place, 1);
    return place >= 0;
  });
}
