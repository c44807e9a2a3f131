import { mock } from 'node:test';
import { ImpatientClient } from '../../src/database/connection/impatient-client.js';

const TIMES = 10;

/**
 * The statements that a service in this process makes for an attempt, in alphabetical order. It is made several times:
 * what comes every time belongs to it, what comes now and then is work of the background. Counted rather than timed, so
 * that a busy machine changes nothing.
 */
export async function statementsOf(attempt: () => Promise<unknown>): Promise<string[]> {
  const asked = mock.method(ImpatientClient.prototype, 'query');
  try {
    let common: string[] | null = null;
    for (let time = 0; time < TIMES; time++) {
      asked.mock.resetCalls();
      await attempt();
      const made = asked.mock.calls.map(({ arguments: [query] }) => textOf(query));
      common = common === null ? made : inBoth(common, made);
    }
    return common!.sort();
  } finally {
    asked.mock.restore();
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
