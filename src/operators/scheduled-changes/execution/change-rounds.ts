import type { Clock } from '../../../common/clock.js';
import type { DueChange } from '../planning/scheduled-changes.repository.js';

/** Tenants whose changes are worked on at once: one with very many members does not keep the others waiting. */
const AT_ONCE = 2;
const LONGEST_PAUSE_MS = 60 * 60 * 1000;

interface Pause {
  readonly ms: number;
  /** Unix milliseconds. */
  readonly until: number;
}

/** What the work on a change gets of a round. */
export interface Turn<Place> {
  /** Where it stopped in the last round; null: it begins, also where another process has been at it. The work sets it as it goes on. */
  place: Place | null;
  /** The round is over: the work hands back its place, and what is left waits for the next round. */
  readonly isOver: () => boolean;
}

/** @returns whether nothing is left */
type Work<Change, Place> = (change: Change, turn: Turn<Place>) => Promise<boolean>;

/**
 * Work on changes, round by round: what is left when a round is over waits for the next one, behind tenants and changes that have had no turn. A change that throws stops no
 * other, and is tried again after a pause that doubles.
 */
export class ChangeRounds<Place> {
  private readonly pauses = new Map<string, Pause>();
  private readonly places = new Map<string, Place>();
  /** Of tenants and changes that are due: the number of their last turn. */
  private readonly lastTurns = new Map<string, number>();
  private turns = 0;

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

  /** @throws the first of what was thrown, when the round is over */
  async run<Change extends DueChange>(due: readonly Change[], work: Work<Change, Place>): Promise<void> {
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

  /** Those of one tenant, as far as one round allows. @returns what was thrown */
  private async doAll<Change extends DueChange>(
    changes: readonly Change[],
    work: Work<Change, Place>,
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
    work: Work<Change, Place>,
    isOver: () => boolean,
  ): Promise<void> {
    const turn: Turn<Place> = { place: this.places.get(change.id) ?? null, isOver };
    this.places.delete(change.id);
    let isDone = false;
    try {
      isDone = await work(change, turn);
    } finally {
      if (!isDone && turn.place !== null) this.places.set(change.id, turn.place);
    }
  }

  private pause(id: string): void {
    const ms = Math.min(LONGEST_PAUSE_MS, 2 * (this.pauses.get(id)?.ms ?? this.seconds * 500));
    this.pauses.set(id, { ms, until: this.clock.now().getTime() + ms });
  }

  /** Others were done elsewhere, or cancelled; those that pause come again. */
  private forgetAllBut(due: readonly DueChange[]): void {
    const ids = new Set(due.flatMap(({ id, tenantId }) => [id, tenantId]));
    for (const memory of [this.places, this.lastTurns])
      for (const id of memory.keys()) if (!ids.has(id) && !this.pauses.has(id)) memory.delete(id);
  }

  /** Those first whose last turn is the longest ago; else in the order in which they were found. */
  private byTenant<Change extends DueChange>(due: readonly Change[]): Change[][] {
    const turnOf = (id: string) => this.lastTurns.get(id) ?? 0;
    const tenants = new Map<string, Change[]>();
    for (const change of due.toSorted((a, b) => turnOf(a.tenantId) - turnOf(b.tenantId) || turnOf(a.id) - turnOf(b.id)))
      tenants.set(change.tenantId, [...(tenants.get(change.tenantId) ?? []), change]);
    return [...tenants.values()];
  }
}
