import type { PeriodicJob } from './periodic-job.js';

/** Delay of the first run after the start, so that the first requests are not slowed down. */
const FIRST_AFTER_SECONDS = 5;
/** Between the first runs of long jobs, which most have the same interval and would always be due together. */
const SECONDS_BETWEEN_LONG_JOBS = 20;

/** Seconds until the first run of each job. Long jobs follow each other by their names, the same in every process. */
export function firstRuns<Job extends Pick<PeriodicJob, 'name' | 'everySeconds' | 'isLong'>>(
  jobs: readonly Job[],
): Map<Job, number> {
  const names = jobs.filter(({ isLong }) => isLong).map(({ name }) => name);
  names.sort();
  const delayOf = ({ name, everySeconds, isLong }: Job): number => {
    const offset = isLong ? names.indexOf(name) * SECONDS_BETWEEN_LONG_JOBS : 0;
    return Math.min(everySeconds, FIRST_AFTER_SECONDS + offset);
  };
  return new Map(jobs.map((job) => [job, delayOf(job)]));
}
