import type { RequestContext } from '../../../common/request-context.js';
import type { DenialScope } from './denial-scopes.service.js';

/** The action of the audit entries. */
export type TalliedAction = 'access.denied' | 'user.login_failed';

/** Denials of one or many callers or network addresses without an audit entry each. */
export interface TalliedDenials {
  readonly action: TalliedAction;
  readonly ctx: RequestContext;
  /** Null if they do not all concern the same tenant. */
  readonly scope: DenialScope | null;
  readonly limitedBy: 'caller' | 'account' | 'network address' | 'several';
  readonly since: Date;
  readonly count: number;
}

export type NewTally = Omit<TalliedDenials, 'count'>;

const MOST = 1_000;
const REST = 'rest';

/** Counts by key until the minute ends. Limited: beyond a thousand keys, the rest is counted together. */
export class DenialTally {
  private readonly tallies = new Map<string, TalliedDenials>();

  /** @returns the key under which it is counted if the key is new, otherwise null */
  add(key: string, first: NewTally): string | null {
    const rest = `${REST} ${first.action}`;
    const name = this.tallies.has(key) || this.tallies.size < MOST ? key : rest;
    const known = this.tallies.get(name);
    if (known) {
      const isSame = known.scope?.tenantId === first.scope?.tenantId;
      this.tallies.set(name, { ...known, count: known.count + 1, scope: isSame ? known.scope : null });
      return null;
    }
    this.tallies.set(name, {
      ...first,
      count: 1,
      ...(name === rest ? { limitedBy: 'several', scope: tenantOf(first) } : {}),
    });
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

/** Many keys have neither the app nor the user in common. */
function tenantOf({ scope }: NewTally): DenialScope | null {
  return scope?.tenantId === undefined ? null : { tenantId: scope.tenantId };
}
