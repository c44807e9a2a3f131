import { Injectable } from '@nestjs/common';
import { Clock } from '../../common/clock.js';
import { PeriodicJob } from '../../delivery/periodic-job.js';
import { type DueChange, ScheduledChangesRepository } from './scheduled-changes.repository.js';
import { ScheduledExecution } from './scheduled-execution.service.js';

const BATCH = 100;
const EVERY_SECONDS = 15;
/** Tenants whose changes are made at once: one with very many members does not keep the others waiting. */
const AT_ONCE = 2;
const LONGEST_PAUSE_MS = 60 * 60 * 1000;

interface Pause {
  readonly ms: number;
  /** Unix milliseconds. */
  readonly until: number;
}

/**
 * Makes changes whose time has come. The rows say which: nothing is lost with a queue. One that fails stops no other, and is tried again after
 * a pause that doubles.
 */
@Injectable()
export class DueChangesJob extends PeriodicJob {
  override readonly name = 'scheduled-changes';
  override readonly everySeconds = EVERY_SECONDS;
  private readonly pauses = new Map<string, Pause>();

  constructor(
    private readonly changes: ScheduledChangesRepository,
    private readonly execution: ScheduledExecution,
    private readonly clock: Clock,
  ) {
    super();
  }

  override async run(): Promise<void> {
    const began = this.clock.now().getTime();
    // Of those that were cancelled meanwhile, no one takes the pause away.
    for (const [id, { until }] of this.pauses) if (until + LONGEST_PAUSE_MS < began) this.pauses.delete(id);
    const paused = [...this.pauses].filter(([, { until }]) => until > began).map(([id]) => id);
    const tenants = byTenant(await this.changes.listDue(BATCH, paused));
    const failures: unknown[] = [];
    const makeNext = async () => {
      for (let ids = tenants.shift(); ids; ids = tenants.shift()) failures.push(...(await this.makeAll(ids, began)));
    };
    await Promise.all(Array.from({ length: AT_ONCE }, makeNext));
    if (failures.length > 0) throw failures[0];
  }

  /** Those of one tenant, as far as one round allows: the next round goes on. @returns what was thrown */
  private async makeAll(ids: readonly string[], began: number): Promise<unknown[]> {
    const failures: unknown[] = [];
    for (const id of ids) {
      try {
        await this.execution.run(id);
        this.pauses.delete(id);
      } catch (error) {
        failures.push(error);
        this.pause(id);
      }
      if (this.clock.now().getTime() - began > EVERY_SECONDS * 1000) break;
    }
    return failures;
  }

  private pause(id: string): void {
    const ms = Math.min(LONGEST_PAUSE_MS, 2 * (this.pauses.get(id)?.ms ?? EVERY_SECONDS * 500));
    this.pauses.set(id, { ms, until: this.clock.now().getTime() + ms });
  }
}

/** In the order in which the first of each was found. */
function byTenant(due: readonly DueChange[]): string[][] {
  const tenants = new Map<string, string[]>();
  for (const { id, tenantId } of due) tenants.set(tenantId, [...(tenants.get(tenantId) ?? []), id]);
  return [...tenants.values()];
}
