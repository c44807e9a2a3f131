import type { Prediction } from '../../apps/comparisons/change-comparison.entity.js';
import type { RequestContext } from '../../common/request-context.js';
import type { JudgedBatch } from './change-effects.js';
import type { Affected } from './judged-members.js';
import { type Effect, EFFECTS } from '../../auth/entry/effect.rules.js';

/** Number of users listed for each effect; the file contains all. */
const NAMED = 50;

export interface EffectCount {
  readonly effect: Effect;
  /** Number of memberships: a user counts once for each app. */
  readonly count: number;
  /** The first users, oldest account first. */
  readonly users: readonly Affected[];
}

export interface EffectByApp extends EffectCount {
  /** In the order in which the apps were evaluated. */
  readonly apps: readonly AppCount[];
}

/** Number of users at one app. */
export interface AppCount {
  readonly appId: string;
  readonly appName: string;
  readonly count: number;
}

/** Past sign-ins that would have a different result, by rule. */
export interface PastSummary {
  readonly signIns: number;
  readonly rules: readonly { readonly rule: string; readonly count: number }[];
}

/** Collects results for any number of members: keeps only counts and the first names. */
export class EffectCounter {
  private readonly found = new Map<Effect, { count: number; apps: Map<string, AppCount>; users: Affected[] }>();
  private counted = 0;
  private callerIsShutOut = false;
  private signIns = 0;
  private readonly otherwise = new Map<string, number>();
  private readonly forLog = new Map<Effect, number>();

  constructor(private readonly ctx: RequestContext) {}

  add({ members, affected, forLog, past }: JudgedBatch): void {
    this.counted += members;
    this.signIns += past?.signIns ?? 0;
    for (const [rule, count] of past?.otherwise ?? [])
      this.otherwise.set(rule, (this.otherwise.get(rule) ?? 0) + count);
    for (const effect of forLog ?? []) this.forLog.set(effect, (this.forLog.get(effect) ?? 0) + 1);
    for (const each of affected) {
      const known = this.found.get(each.effect) ?? { count: 0, apps: new Map<string, AppCount>(), users: [] };
      known.count += 1;
      const { appId, appName } = each;
      known.apps.set(appId, { appId, appName, count: (known.apps.get(appId)?.count ?? 0) + 1 });
      if (known.users.length < NAMED) known.users.push(each);
      this.found.set(each.effect, known);
      this.callerIsShutOut ||= each.effect === 'shut_out' && isCaller(this.ctx, each);
    }
  }

  /** Number of memberships that were evaluated. */
  get members(): number {
    return this.counted;
  }

  /** Whether the caller could no longer enter one of the apps. */
  get locksYouOut(): boolean {
    return this.callerIsShutOut;
  }

  /** Past sign-ins, most frequent rule first. */
  past(): PastSummary {
    const rules = [...this.otherwise].map(([rule, count]) => ({ rule, count }));
    return { signIns: this.signIns, rules: rules.sort((one, other) => other.count - one.count) };
  }

  /** For the audit log, most serious effect first. */
  prediction(): Prediction {
    const counts = EFFECTS.map((effect) => [effect, this.forLog.get(effect) ?? 0] as const);
    return Object.fromEntries(counts.filter(([, count]) => count > 0));
  }

  /** Only effects that occur, most serious first. */
  effects(): EffectCount[] {
    return this.effectsByApp().map(({ effect, count, users }) => ({ effect, count, users }));
  }

  effectsByApp(): EffectByApp[] {
    return EFFECTS.flatMap((effect) => {
      const found = this.found.get(effect);
      return found ? [{ effect, ...found, apps: [...found.apps.values()] }] : [];
    });
  }
}

function isCaller({ actor }: RequestContext, { userId }: Affected): boolean {
  return actor.type === 'user' && actor.userId === userId;
}
