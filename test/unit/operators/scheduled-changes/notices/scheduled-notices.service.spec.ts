import { beforeEach, describe, expect, it } from '@jest/globals';
import type { Prediction } from '../../../../../src/apps/comparisons/change-comparison.entity.js';
import type { RoundState } from '../../../../../src/operators/scheduled-changes/execution/change-rounds.js';
import type { ChangePlanners } from '../../../../../src/operators/scheduled-changes/planning/change-planners.js';
import type { ScheduledChange } from '../../../../../src/operators/scheduled-changes/planning/scheduled-change.entity.js';
import type { ScheduledMails } from '../../../../../src/operators/scheduled-changes/notices/scheduled-mails.js';
import type { ScheduledNoticesRepository } from '../../../../../src/operators/scheduled-changes/notices/scheduled-notices.repository.js';
import {
  type NoticeProgress,
  ScheduledNotices,
} from '../../../../../src/operators/scheduled-changes/notices/scheduled-notices.service.js';
import type { ChangeEffects } from '../../../../../src/previews/effects/change-effects.js';
import type { DraftedChanges } from '../../../../../src/previews/proposals/drafted-changes.js';
import type { WalkCursor } from '../../../../../src/previews/effects/walk-cursor.js';

const MEMBERS = ['a', 'b', 'c'];

describe('ScheduledNotices', () => {
  let mailed: string[];
  let ended: [string, Prediction | null][];
  let isOver: boolean;
  /** Of the change. */
  let apps: string[];
  let notices: ScheduledNotices;
  const change = { id: 'change', appId: 'app', tenantId: 't', change: {}, predictionThen: null };
  const turn = (): RoundState<NoticeProgress> => ({ progress: null, isOver: () => isOver });
  const run = (moment: 'announced' | 'reminded' | 'retracted', each: RoundState<NoticeProgress>) =>
    notices.run(change as unknown as ScheduledChange, moment, each);

  beforeEach(() => {
    [mailed, ended, isOver, apps] = [[], [], true, ['app']];
    notices = new ScheduledNotices(
      { identify: () => Promise.resolve({}) } as unknown as ChangePlanners,
      {
        of: () => Promise.resolve({ clients: apps.map((id) => ({ before: { app: { id } } })) }),
      } as unknown as DraftedChanges,
      {
        walk: async function* (_draft: unknown, _known: unknown, { from }: { from: WalkCursor | null }) {
          // From the beginning where the app of the place is gone, as the real walk.
          const behind = from && apps.includes(from.appId) ? MEMBERS.indexOf(from.after.userId) + 1 : 0;
          for (const userId of MEMBERS.slice(behind)) {
            const cursor = { appId: 'app', after: { userCreatedAt: 'then', userId } };
            yield await Promise.resolve({ affected: [userId], forLog: ['shut_out'], cursor });
          }
        },
      } as unknown as ChangeEffects,
      {
        tell: (_change: unknown, _moment: unknown, affected: string[]) => {
          mailed.push(...affected);
          return Promise.resolve(true);
        },
        retract: (_change: unknown, after: string | null) => {
          const next = MEMBERS[after === null ? 0 : MEMBERS.indexOf(after) + 1];
          if (next) mailed.push(next);
          return Promise.resolve(next ?? null);
        },
      } as unknown as ScheduledMails,
      {
        end: (_id: string, moment: string, counts: Prediction | null) => {
          ended.push([moment, counts]);
          return Promise.resolve();
        },
      } as unknown as ScheduledNoticesRepository,
    );
  });

  it('tells on behind the last user when a round is over, and counts all', async () => {
    const each = turn();
    expect([await run('announced', each), mailed.splice(0), ended]).toEqual([false, ['a'], []]);
    expect([await run('announced', each), mailed.splice(0)]).toEqual([false, ['b']]);
    isOver = false;
    expect([await run('announced', each), mailed]).toEqual([true, ['c']]);
    expect(ended).toEqual([['announced', { shut_out: 3 }]]);
  });

  it('counts anew where the app of its place is gone', async () => {
    const each = turn();
    await run('announced', each);
    apps = ['another app'];
    isOver = false;
    await run('announced', each);
    expect(ended).toEqual([['announced', { shut_out: 3 }]]);
  });

  it('begins with the first user for another moment', async () => {
    const each = turn();
    await run('announced', each);
    isOver = false;
    await run('reminded', each);
    expect(mailed).toEqual(['a', ...MEMBERS]);
  });

  it('takes back behind the last user when a round is over', async () => {
    const each = turn();
    expect([await run('retracted', each), mailed.splice(0), ended]).toEqual([false, ['a'], []]);
    isOver = false;
    expect([await run('retracted', each), mailed, ended]).toEqual([true, ['b', 'c'], [['retracted', null]]]);
  });
});
