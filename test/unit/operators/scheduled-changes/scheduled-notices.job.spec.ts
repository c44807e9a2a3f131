import { describe, expect, it } from '@jest/globals';
import { ScheduledNoticesJob } from '../../../../src/operators/scheduled-changes/scheduled-notices.job.js';
import type { ScheduledChangesRepository } from '../../../../src/operators/scheduled-changes/scheduled-changes.repository.js';
import type {
  DueNotice,
  ScheduledNoticesRepository,
} from '../../../../src/operators/scheduled-changes/scheduled-notices.repository.js';
import type { ScheduledNotices } from '../../../../src/operators/scheduled-changes/scheduled-notices.service.js';
import { FakeClock } from '../../../support/fake-clock.js';

describe('ScheduledNoticesJob', () => {
  const clock = new FakeClock();
  const due: DueNotice[] = ['a', 'b', 'c'].map((id) => ({ id, tenantId: 't', moment: 'announced' as const }));
  const told: string[] = [];
  let takes: (id: string) => void = () => undefined;
  const repository = {
    listDue: (limit: number, except: readonly string[]) =>
      Promise.resolve(due.filter(({ id }) => !except.includes(id)).slice(0, limit)),
  };
  const notices = {
    run: ({ id }: { id: string }, moment: string) => {
      told.push(`${id} ${moment}`);
      takes(id);
      return Promise.resolve();
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
});
