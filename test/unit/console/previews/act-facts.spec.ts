import { describe, expect, it } from '@jest/globals';
import { factsOf } from '../../../../src/console/previews/act-facts.js';
import type { EffectByApp } from '../../../../src/previews/effects/effect-counter.js';

type Affected = EffectByApp['users'][number];

const NOTHING = { users: 0, endedSignIns: 0, leavesNoAdmin: false, refused: [] };
const at = (appId: string, ...names: string[]) =>
  names.map((displayName) => ({ appId, appName: `App ${appId}`, displayName }) as Affected);

function valuesOf(countByApp: Readonly<Record<string, number>>, users: Affected[]): string[] {
  const apps = Object.entries(countByApp).map(([appId, count]) => ({ appId, appName: `App ${appId}`, count }));
  const count = apps.reduce((sum, each) => sum + each.count, 0);
  return factsOf({ ...NOTHING, effects: [{ effect: 'let_in', count, apps, users }] }).map(({ value }) => value);
}

describe('Facts of an action on users', () => {
  it('name five users of one app', () => {
    expect(valuesOf({ 1: 7 }, at('1', 'A', 'B', 'C', 'D', 'E', 'F', 'G'))).toEqual([
      '7 users can sign in who could not before: A, B, C, D, E and 2 more',
    ]);
  });

  it('count the users of each app, and not a user of two apps twice', () => {
    expect(valuesOf({ 1: 2, 2: 1 }, [...at('1', 'A', 'B'), ...at('2', 'A')])).toEqual([
      'App 1: 2 users can sign in who could not before: A, B',
      'App 2: 1 user can sign in who could not before: A',
    ]);
  });

  it('list five apps, and count the others', () => {
    const counts = Object.fromEntries(Array.from({ length: 8 }, (_, index) => [index, 3]));
    const lines = valuesOf(counts, at('0', 'A'));
    expect([lines.length, ...lines.slice(-2)]).toEqual([
      6,
      'App 4: 3 users can sign in who could not before',
      'The same at 3 more apps',
    ]);
  });
});
