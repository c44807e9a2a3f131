import { beforeEach, describe, expect, it } from '@jest/globals';
import { DueChangesJob } from '../../../../src/operators/scheduled-changes/due-changes.job.js';
import type { ScheduledChangesRepository } from '../../../../src/operators/scheduled-changes/scheduled-changes.repository.js';
import type { ScheduledExecution } from '../../../../src/operators/scheduled-changes/scheduled-execution.service.js';
import { FakeClock } from '../../../support/fake-clock.js';

describe('DueChangesJob', () => {
  let clock: FakeClock;
  let due: { id: string; tenantId: string }[];
  let attempts: string[];
  let takes: (id: string) => void;
  let job: DueChangesJob;

  beforeEach(() => {
    clock = new FakeClock();
    due = [];
    attempts = [];
    takes = () => undefined;
    const changes = {
      listDue: (limit: number, except: readonly string[]) =>
        Promise.resolve(due.filter(({ id }) => !except.includes(id)).slice(0, limit)),
    };
    const execution = {
      run: (id: string) => {
        attempts.push(id);
        takes(id);
        return Promise.resolve();
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
});
