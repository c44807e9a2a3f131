import type { RegisteredClient } from '../../apps/directory/app-directory.js';
import { type Entrant, readEntryFacts } from './entry-facts.js';
import { type EntryRule, entryRules } from './entry.rules.js';

/** A way to sign in that a user has. */
export interface OwnWay {
  /** As apps call it in `allowed_providers`. */
  readonly method: string;
  /** What a sign-in with it shows (RFC 8176). */
  readonly amr: readonly string[];
}

/** Where a sign-in with one of the ways leads. */
export interface WayIn {
  /** Null: the user has no way to sign in. */
  readonly method: string | null;
  /** They are asked for a second factor that they have. */
  readonly asksSecondFactor: boolean;
  /** What then keeps them from entering; null: nothing. */
  readonly obstacle: Pick<EntryRule, 'rule' | 'otherwise'> | null;
}

const NO_WAY: WayIn = {
  method: null,
  asksSecondFactor: false,
  obstacle: { rule: 'method_allowed', otherwise: 'method_not_allowed' },
};

/** Obstacles that the sign-in pages help over: the link by mail is sent again, and a second factor is set up. */
const CAN_BE_OVERCOME: readonly string[] = ['email_not_verified', 'second_factor_required'];

export function leadsIn({ obstacle }: WayIn): boolean {
  return obstacle === null || CAN_BE_OVERCOME.includes(obstacle.otherwise);
}

/**
 * The first of the ways that leads into the app, by the rules of sign-in itself; where none does, the first one and what
 * keeps it from doing so.
 */
export async function findWayIn(
  entrant: Entrant,
  client: RegisteredClient,
  ways: readonly OwnWay[],
  ofAdministrators: boolean,
): Promise<WayIn> {
  let closed: WayIn | null = null;
  for (const { method, amr } of ways) {
    const { facts } = await readEntryFacts(entrant, client, amr, ofAdministrators);
    const obstacle = entryRules({ ...facts, secondFactorDue: false }).find(({ holds }) => !holds) ?? null;
    const way = { method, asksSecondFactor: facts.secondFactorDue, obstacle };
    if (leadsIn(way)) return way;
    closed ??= way;
  }
  return closed ?? NO_WAY;
}
