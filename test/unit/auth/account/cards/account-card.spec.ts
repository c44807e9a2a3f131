import { describe, expect, it } from '@jest/globals';
import { cardOf, folded } from '../../../../../src/auth/account/cards/account-card.js';

describe('Rows of an account card', () => {
  const rows = (count: number) => Array.from({ length: count }, (_, n) => n);

  it.each([
    [0, 0, 0],
    [5, 5, 0],
    [6, 6, 0],
    [7, 5, 2],
    [200, 5, 195],
  ])('for %p: %p at once, %p after a click', (count, shown, rest) => {
    const fold = folded(rows(count));
    expect([fold.shown.length, fold.rest.length, fold.hasRest]).toEqual([shown, rest, rest > 0]);
    expect([...fold.shown, ...fold.rest]).toEqual(rows(count));
  });
});

describe('Account card that cannot be loaded', () => {
  it('shows the request id, and the error is reported', async () => {
    const faults: string[] = [];
    const card = await cardOf(
      () => Promise.reject(new Error('away')),
      'request-1',
      (error) => faults.push(error.message),
    );
    expect([card, faults]).toEqual([{ failed: true, isHidden: false, requestId: 'request-1' }, ['away']]);
  });
});
