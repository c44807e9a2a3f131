import { describe, expect, it } from '@jest/globals';
import { ScheduledNoticesJob } from '../../../../../src/operators/scheduled-changes/notices/scheduled-notices.job.js';
import type { ScheduledChangesRepository } from '../../../../../src/operators/scheduled-changes/planning/scheduled-changes.repository.js';
import type {
  DueNotice,
  ScheduledNoticesRepository,
} from '../../../../../src/operators/scheduled-changes/notices/scheduled-notices.repository.js';
import type { ScheduledNotices } from '../../../../../src/operators/scheduled-changes/notices/scheduled-notices.service.js';
import type { RoundState } from '../../../../../src/operators/scheduled-changes/execution/change-rounds.js';
import { FakeClock } from '../../../../support/fake-clock.js';

describe('ScheduledNoticesJob', () => {
  const clock = new FakeClock();
  let due: DueNotice[] = ['a', 'b', 'c'].map((id) => ({ id, tenantId: 't', moment: 'announced' as const }));
  const told: string[] = [];
  /** How many turns each takes; 0: one, and it keeps no progress. */
  let members = 0;
  let takes: (id: string) => void = () => undefined;
  const repository = {
    listDue: (limit: number, except: readonly string[]) =>
      Promise.resolve(due.filter(({ id }) => !except.includes(id)).slice(0, limit)),
  };
  const notices = {
    run: ({ id }: { id: string }, moment: string, turn: RoundState<number>) => {
      told.push(`${id} ${moment}${turn.progress === null ? '' : ` after ${turn.progress}`}`);
      takes(id);
      if (members === 0) return Promise.resolve(true);
      turn.progress = (turn.progress ?? 0) + 1;
      return Promise.resolve(turn.progress === members);
    },
  };
  const job = new ScheduledNoticesJob(
    { find: (id: string) => Promise.resolve({ id }) } as unknown as ScheduledChangesRepository,
    repository as unknown as ScheduledNoticesRepository,
    notices as unknown as ScheduledNotices,
    clock,
  );

  it('leaves a change that throws alone for a while, and what one tenant takes longer for to the next round', async () => {
    takes = (id) => {
      if (id === 'a') throw new Error('Not now');
    };
    await expect(job.run()).rejects.toThrow('Not now');
    expect(told.splice(0)).toEqual(['a announced', 'b announced', 'c announced']);
    takes = () => clock.advance(20);
    clock.advance(29);
    await job.run();
    expect(told.splice(0)).toEqual(['b announced', 'c announced']);
    await job.run();
    expect(told.splice(0)).toEqual(['a announced', 'b announced']);
  });

  it('goes on with a long one where the last round stopped, after those that have had no turn', async () => {
    due = ['d', 'e', 'f', 'g'].map((id) => ({ id, tenantId: `tenant of ${id}`, moment: 'announced' as const }));
    members = 2;
    takes = () => clock.advance(31);
    await job.run();
    expect(told.splice(0)).toEqual(['d announced', 'e announced']);
    await job.run();
    expect(told.splice(0)).toEqual(['f announced', 'g announced']);
    await job.run();
    expect(told.splice(0)).toEqual(['d announced after 1', 'e announced after 1']);
    // Of one tenant as well.
    due = ['h', 'i'].map((id) => ({ id, tenantId: 't', moment: 'retracted' as const }));
    for (let round = 0; round < 3; round++) await job.run();
    expect(told.splice(0)).toEqual(['h retracted', 'i retracted', 'h retracted after 1']);
  });
});
