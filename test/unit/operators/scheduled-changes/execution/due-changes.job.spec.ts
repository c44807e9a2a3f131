import { beforeEach, describe, expect, it } from '@jest/globals';
import { DueChangesJob } from '../../../../../src/operators/scheduled-changes/execution/due-changes.job.js';
import type { ScheduledChangesRepository } from '../../../../../src/operators/scheduled-changes/planning/scheduled-changes.repository.js';
import type { ScheduledExecution } from '../../../../../src/operators/scheduled-changes/execution/scheduled-execution.service.js';
import { FakeClock } from '../../../../support/fake-clock.js';

describe('DueChangesJob', () => {
  let clock: FakeClock;
  let due: { id: string; tenantId: string }[];
  let attempts: string[];
  let made: string[];
  let takes: (id: string) => void;
  /** Pieces of work of each change, between which it may rest. */
  let pieces: number;
  let job: DueChangesJob;

  beforeEach(() => {
    clock = new FakeClock();
    due = [];
    attempts = [];
    made = [];
    takes = () => undefined;
    pieces = 1;
    const changes = {
      listDue: (limit: number, except: readonly string[]) =>
        Promise.resolve(due.filter(({ id }) => !except.includes(id) && !made.includes(id)).slice(0, limit)),
    };
    const execution = {
      run: async (id: string, mayRest: () => Promise<void>) => {
        attempts.push(id);
        for (let piece = 1; piece <= pieces; piece++) {
          takes(id);
          await mayRest();
        }
        made.push(id);
      },
    };
    job = new DueChangesJob(
      changes as unknown as ScheduledChangesRepository,
      execution as unknown as ScheduledExecution,
      clock,
    );
  });

  it('tries a change that throws again after a pause that doubles, and makes the others', async () => {
    due = ['a', 'b'].map((id) => ({ id, tenantId: 't' }));
    takes = (id) => {
      if (id === 'a') throw new Error('Not now');
    };
    await expect(job.run()).rejects.toThrow('Not now');
    expect(attempts).toEqual(['a', 'b']);
    due = due.slice(0, 1);
    await job.run();
    clock.advance(15);
    await expect(job.run()).rejects.toThrow('Not now');
    clock.advance(29);
    await job.run();
    expect(attempts).toEqual(['a', 'b', 'a']);
    clock.advance(1);
    await expect(job.run()).rejects.toThrow('Not now');
  });

  it('leaves to the next round what one tenant takes longer for', async () => {
    due = ['a', 'b', 'c'].map((id) => ({ id, tenantId: 't' }));
    takes = () => clock.advance(10);
    await job.run();
    expect(attempts).toEqual(['a', 'b']);
  });

  it('rests in the middle of a change when the round is over, and goes on from there after the other tenants', async () => {
    due = ['a', 'b', 'c'].map((id) => ({ id, tenantId: `tenant of ${id}` }));
    pieces = 2;
    takes = () => clock.advance(10);
    await job.run();
    expect([attempts, made]).toEqual([['a', 'b'], []]);
    await job.run();
    expect(attempts).toEqual(['a', 'b', 'c']);
    for (let round = 0; round < 3; round++) await job.run();
    expect([attempts, made.toSorted()]).toEqual([
      ['a', 'b', 'c'],
      ['a', 'b', 'c'],
    ]);
  });

  it('begins again what throws, and forgets what is not due any more', async () => {
    due = [{ id: 'a', tenantId: 't' }];
    pieces = 2;
    takes = () => clock.advance(16);
    await job.run();
    takes = () => {
      throw new Error('Not now');
    };
    await expect(job.run()).rejects.toThrow('Not now');
    clock.advance(15);
    takes = () => clock.advance(16);
    await job.run();
    expect(attempts).toEqual(['a', 'a']);
    // Cancelled.
    const [change] = due.splice(0);
    await job.run();
    due = [change!];
    await job.run();
    expect(attempts).toEqual(['a', 'a', 'a']);
  });
});
