import type { JobMeta } from '../../src/delivery/worker/job-handler.js';
import { TaskJob } from '../../src/operations/tasks/task.job.js';
import type { TestApp } from './test-app.js';

/** Of a job without a row in the outbox: a test runs it. */
export const OWN_JOB: JobMeta = {
  id: '00000000-0000-4000-8000-000000000000',
  attempt: 1,
  lastAttempt: false,
  now: new Date(),
  finish: () => Promise.resolve(true),
};

/** Runs a part of a task, as a worker would. */
export function runTask({ nest }: TestApp, id: string): Promise<void> {
  return nest.get(TaskJob).handle({ task: id }, { ...OWN_JOB, now: new Date() });
}
