import type { Clock } from '../../common/clock.js';
import type { DueChange } from './scheduled-changes.repository.js';

/** Tenants whose changes are worked on at once: one with very many members does not keep the others waiting. */
const AT_ONCE = 2;
const LONGEST_PAUSE_MS = 60 * 60 * 1000;

interface Pause {
  readonly ms: number;
  /** Unix milliseconds. */
  readonly until: number;
}

/**
 * Work on changes, round by round: what a tenant has left when a round is over waits for the next one. A change that throws stops no other, and is
 * tried again after a pause that doubles.
 */
export class ChangeRounds {
  private readonly pauses = new Map<string, Pause>();

  constructor(
    private readonly clock: Clock,
    private readonly seconds: number,
  ) {}

  /** Ids of changes that wait for another attempt. */
  paused(): string[] {
    const now = this.clock.now().getTime();
    // Of those that were cancelled meanwhile, no one takes the pause away.
    for (const [id, { until }] of this.pauses) if (until + LONGEST_PAUSE_MS < now) this.pauses.delete(id);
    return [...this.pauses].filter(([, { until }]) => until > now).map(([id]) => id);
  }

  /** @throws the first of what was thrown, when all is done */
  async run<Change extends DueChange>(due: readonly Change[], work: (change: Change) => Promise<void>): Promise<void> {
    const began = this.clock.now().getTime();
    const tenants = byTenant(due);
    const failures: unknown[] = [];
    const doNext = async () => {
      for (let changes = tenants.shift(); changes; changes = tenants.shift())
        failures.push(...(await this.doAll(changes, work, began)));
    };
    await Promise.all(Array.from({ length: AT_ONCE }, doNext));
    if (failures.length > 0) throw failures[0];
  }

  /** Those of one tenant, as far as one round allows. @returns what was thrown */
  private async doAll<Change extends DueChange>(
    changes: readonly Change[],
    work: (change: Change) => Promise<void>,
    began: number,
  ): Promise<unknown[]> {
    const failures: unknown[] = [];
    for (const change of changes) {
      try {
        await work(change);
        this.pauses.delete(change.id);
      } catch (error) {
        failures.push(error);
        this.pause(change.id);
      }
      if (this.clock.now().getTime() - began > this.seconds * 1000) break;
    }
    return failures;
  }

  private pause(id: string): void {
    const ms = Math.min(LONGEST_PAUSE_MS, 2 * (this.pauses.get(id)?.ms ?? this.seconds * 500));
    this.pauses.set(id, { ms, until: this.clock.now().getTime() + ms });
  }
}

/** In the order in which the first of each was found. */
function byTenant<Change extends DueChange>(due: readonly Change[]): Change[][] {
  const tenants = new Map<string, Change[]>();
  for (const change of due) tenants.set(change.tenantId, [...(tenants.get(change.tenantId) ?? []), change]);
  return [...tenants.values()];
}
