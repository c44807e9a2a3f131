import type { PeriodicJob } from '../../src/delivery/periodic/periodic-job.js';
import { PeriodicRunner } from '../../src/delivery/periodic/periodic-runner.js';

/** Longest interval of a job that runs by its timer in a test: sweeps and the sealing of the audit log. */
const MAX_INTERVAL_SECONDS = 5;

/**
 * A job with a longer interval would run once or twice in the life of a test's service, in the middle of any case: a
 * purge would remove what the case has just made old. Tests call its `run()` themselves. Imported wherever a service is
 * started in a test; services in processes of their own keep all timers.
 */
const runner = PeriodicRunner.prototype as unknown as { schedule(job: PeriodicJob, seconds: number): void };
const { schedule } = runner;
runner.schedule = function (job, seconds) {
  if (job.everySeconds <= MAX_INTERVAL_SECONDS) schedule.call(this, job, seconds);
};
