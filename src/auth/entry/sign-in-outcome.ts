import type { RegisteredClient } from '../../apps/directory/app-directory.js';
import { type Entrant, readEntryFacts } from './entry-facts.js';
import { type EntryRule, entryRules } from './entry.rules.js';

/** A sign-in method that a user has. */
export interface OwnMethod {
  /** Name of the method in `allowed_providers`. */
  readonly method: string;
  /** `amr` of a sign-in with this method (RFC 8176). */
  readonly amr: readonly string[];
}

/** The result of a sign-in with one of the user's methods. */
export interface SignInOutcome {
  /** Null: the user has no sign-in method. */
  readonly method: string | null;
  /** Whether the user is asked for a second factor that they have. */
  readonly asksSecondFactor: boolean;
  /** The rule that keeps the user from entering after the second factor; null: the user may enter. */
  readonly obstacle: Pick<EntryRule, 'rule' | 'otherwise'> | null;
}

const NO_METHOD: SignInOutcome = {
  method: null,
  asksSecondFactor: false,
  obstacle: { rule: 'method_allowed', otherwise: 'method_not_allowed' },
};

/**
 * Obstacles that the user can remove on the sign-in pages: by another verification mail, or by setting up a second
 * factor.
 */
const CAN_BE_OVERCOME: readonly string[] = ['email_not_verified', 'second_factor_required'];

export function canEnter({ obstacle }: SignInOutcome): boolean {
  return obstacle === null || CAN_BE_OVERCOME.includes(obstacle.otherwise);
}

/**
 * The first of the methods with which the user can enter the app, by the same rules as a sign-in. If there is none: the
 * first method, with its obstacle.
 */
export async function findOutcome(
  entrant: Entrant,
  client: RegisteredClient,
  methods: readonly OwnMethod[],
  requireAdmin2fa: boolean,
): Promise<SignInOutcome> {
  let refused: SignInOutcome | null = null;
  for (const { method, amr } of methods) {
    const { facts } = await readEntryFacts(entrant, client, amr, requireAdmin2fa);
    const obstacle = entryRules({ ...facts, secondFactorDue: false }).find(({ holds }) => !holds) ?? null;
    const outcome = { method, asksSecondFactor: facts.secondFactorDue, obstacle };
    if (canEnter(outcome)) return outcome;
    refused ??= outcome;
  }
  return refused ?? NO_METHOD;
}
