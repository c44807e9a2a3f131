import { counter } from '../../common/metrics/process-metrics.js';

const ATTEMPTS = counter({
  name: 'identity_jobs_total',
  help: 'Attempts at jobs, by kind of job and outcome',
  labelNames: ['job', 'outcome'],
});

/**
 * @param job a name from this version or a later one: few values, none of them from outside
 * @param outcome `unknown`: this process has no handler for the job, and leaves it to another
 */
export function countJob(job: string, outcome: 'done' | 'retried' | 'dead' | 'unknown'): void {
  ATTEMPTS.inc({ job, outcome });
}
