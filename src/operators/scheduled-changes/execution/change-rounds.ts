import type { Clock } from '../../../common/clock.js';
import type { DueChange } from '../planning/scheduled-changes.repository.js';

/** Number of tenants whose changes run concurrently, so that one with very many members does not delay the others. */
const AT_ONCE = 2;
const MAX_PAUSE_MS = 60 * 60 * 1000;

interface Pause {
  readonly ms: number;
  /** In Unix milliseconds. */
  readonly until: number;
}

/** State of the work on a change in a round. */
export interface RoundState<Progress> {
  /**
   * Where the work stopped in the last round; null: it starts over, also if another process has worked on it. The work
   * updates it.
   */
  progress: Progress | null;
  /** The round is over: the work stores its progress, and continues in the next round. */
  readonly isOver: () => boolean;
}

/** @returns whether the work is complete */
type Work<Change, Progress> = (change: Change, turn: RoundState<Progress>) => Promise<boolean>;

/**
 * Works on changes in rounds. Incomplete work waits for the next round, behind tenants and changes that had no turn. A
 * change that throws does not stop others, and is retried after a pause that doubles.
 */
export class ChangeRounds<Progress> {
  private readonly pauses = new Map<string, Pause>();
  private readonly progress = new Map<string, Progress>();
  /** Number of the last turn of each due tenant and change. */
  private readonly lastTurns = new Map<string, number>();
  private turns = 0;

  constructor(
    private readonly clock: Clock,
    private readonly seconds: number,
  ) {}

  /** Ids of changes that wait for a retry. */
  paused(): string[] {
    const now = this.clock.now().getTime();
    // Pauses of changes that were cancelled in the meantime are removed here.
    for (const [id, { until }] of this.pauses) if (until + MAX_PAUSE_MS < now) this.pauses.delete(id);
    return [...this.pauses].filter(([, { until }]) => until > now).map(([id]) => id);
  }

  /** @throws the first error, at the end of the round */
  async run<Change extends DueChange>(due: readonly Change[], work: Work<Change, Progress>): Promise<void> {
    const ends = this.clock.now().getTime() + this.seconds * 1000;
    const isOver = () => this.clock.now().getTime() > ends;
    this.forgetAllBut(due);
    const tenants = this.byTenant(due);
    const failures: unknown[] = [];
    const doNext = async () => {
      for (let changes = tenants.shift(); changes && !isOver(); changes = tenants.shift())
        failures.push(...(await this.doAll(changes, work, isOver)));
    };
    await Promise.all(Array.from({ length: AT_ONCE }, doNext));
    if (failures.length > 0) throw failures[0];
  }

  /** The changes of one tenant, as far as the round allows. @returns their errors */
  private async doAll<Change extends DueChange>(
    changes: readonly Change[],
    work: Work<Change, Progress>,
    isOver: () => boolean,
  ): Promise<unknown[]> {
    const failures: unknown[] = [];
    for (const change of changes) {
      for (const each of [change.tenantId, change.id]) this.lastTurns.set(each, ++this.turns);
      try {
        await this.doOne(change, work, isOver);
        this.pauses.delete(change.id);
      } catch (error) {
        failures.push(error);
        this.pause(change.id);
      }
      if (isOver()) break;
    }
    return failures;
  }

  private async doOne<Change extends DueChange>(
    change: Change,
    work: Work<Change, Progress>,
    isOver: () => boolean,
  ): Promise<void> {
    const turn: RoundState<Progress> = { progress: this.progress.get(change.id) ?? null, isOver };
    this.progress.delete(change.id);
    let isDone = false;
    try {
      isDone = await work(change, turn);
    } finally {
      if (!isDone && turn.progress !== null) this.progress.set(change.id, turn.progress);
    }
  }

  private pause(id: string): void {
    const ms = Math.min(MAX_PAUSE_MS, 2 * (this.pauses.get(id)?.ms ?? this.seconds * 500));
    this.pauses.set(id, { ms, until: this.clock.now().getTime() + ms });
  }

  /** Other changes were completed by another process, or cancelled; paused ones return. */
  private forgetAllBut(due: readonly DueChange[]): void {
    const ids = new Set(due.flatMap(({ id, tenantId }) => [id, tenantId]));
    for (const memory of [this.progress, this.lastTurns])
      for (const id of memory.keys()) if (!ids.has(id) && !this.pauses.has(id)) memory.delete(id);
  }

  /** Least recent turn first; otherwise in the given order. */
  private byTenant<Change extends DueChange>(due: readonly Change[]): Change[][] {
    const turnOf = (id: string) => this.lastTurns.get(id) ?? 0;
    const tenants = new Map<string, Change[]>();
    for (const change of due.toSorted((a, b) => turnOf(a.tenantId) - turnOf(b.tenantId) || turnOf(a.id) - turnOf(b.id)))
      tenants.set(change.tenantId, [...(tenants.get(change.tenantId) ?? []), change]);
    return [...tenants.values()];
  }
}
