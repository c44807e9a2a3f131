import { failureReason } from '../engine/failure-reason.js';
import { PeriodicJob } from './periodic-job.js';

/** Deletes rows that are no longer needed. If one of several purges fails, the others run all the same, and then the job fails. */
export abstract class PurgeJob extends PeriodicJob {
  override readonly everySeconds: number = 3_600;
  override readonly isLong = true;

  /** In the order in which they run. */
  protected abstract purges(): readonly (() => Promise<unknown>)[];

  override async run(): Promise<void> {
    const purges = this.purges();
    const failures: unknown[] = [];
    for (const purge of purges) {
      try {
        await purge();
      } catch (error) {
        failures.push(error);
      }
    }
    if (failures.length === 0) return;
    if (purges.length === 1) throw failures[0];
    const reasons = failures.map(failureReason).join('; ');
    throw new Error(`${failures.length} of ${purges.length} purges failed: ${reasons}`, { cause: failures[0] });
  }
}
