import type { RequestContext } from '../../../common/request-context.js';
import type { DenialPlace } from './denial-places.service.js';

/** Denials of one caller or network address, or of many, that have no audit entry each. */
export interface TalliedDenials {
  readonly ctx: RequestContext;
  /** Null where they were not all the same tenant's business. */
  readonly place: DenialPlace | null;
  readonly limitedBy: 'caller' | 'network address' | 'several';
  readonly since: Date;
  readonly count: number;
}

export type NewTally = Omit<TalliedDenials, 'count'>;

const MOST = 1_000;
const REST = 'rest';

/** Counts per key until the minute is over. Bounded: beyond a thousand keys the rest is counted together. */
export class DenialTally {
  private readonly tallies = new Map<string, TalliedDenials>();

  /** @returns the key that it counts under where that one is new, else null */
  add(key: string, first: NewTally): string | null {
    const name = this.tallies.has(key) || this.tallies.size < MOST ? key : REST;
    const known = this.tallies.get(name);
    if (known) {
      const isSame = known.place?.tenantId === first.place?.tenantId;
      this.tallies.set(name, { ...known, count: known.count + 1, place: isSame ? known.place : null });
      return null;
    }
    this.tallies.set(name, { ...first, count: 1, ...(name === REST ? { limitedBy: 'several' as const } : {}) });
    return name;
  }

  take(key: string): TalliedDenials | null {
    const found = this.tallies.get(key) ?? null;
    this.tallies.delete(key);
    return found;
  }

  keys(): string[] {
    return [...this.tallies.keys()];
  }
}
