import { Injectable } from '@nestjs/common';
import { isByPasskey, passkeyAmr } from '../../auth/credentials/passkeys/stored/passkey.rules.js';
import { entrantOf, type SignInSettings } from '../../auth/entry/entrant-of-row.js';
import type { EntrantRow } from '../../auth/entry/entrants.repository.js';
import { type EntryRule, entryRules } from '../../auth/entry/entry.rules.js';
import { readEntryFacts } from '../../auth/entry/entry-facts.js';
import type { RegisteredClient } from '../../apps/directory/app-directory.js';
import { Statements } from '../../database/statements.js';

/** Number of days to look back. */
export const PAST_DAYS = 30;

/** Sign-ins of one user with the same methods. */
export interface PastSignIns {
  readonly userId: string;
  /** As in the audit log (RFC 8176). */
  readonly amr: readonly string[];
  readonly count: number;
}

/** Number of sign-ins, and how many of them would have a different result. */
export interface PastCount {
  readonly signIns: number;
  /**
   * By the rule that decides after the change. For members who are admitted only then: by the rule that kept them out
   * before.
   */
  readonly otherwise: ReadonlyMap<string, number>;
}

/** Uses the index of a user's entries. */
const SIGN_INS = {
  name: 'previews.past_sign_ins',
  text: `SELECT user_id AS "userId", metadata -> 'amr' AS amr, count(*)::int AS count FROM audit_entries
    WHERE user_id = ANY($1::uuid[]) AND created_at > now() - make_interval(days => $3)
      AND app_id = $2 AND action = 'user.login' AND jsonb_typeof(metadata -> 'amr') = 'array'
    GROUP BY 1, 2`,
};

/**
 * Sign-ins in the audit log, evaluated again by the rules of sign-in: with the methods that were used, and otherwise
 * with what is known of the user today.
 */
@Injectable()
export class PastSignInsReader {
  constructor(private readonly statements: Statements) {}

  list(appId: string, userIds: readonly string[]): Promise<PastSignIns[]> {
    return this.statements.run<PastSignIns & Record<string, unknown>>(SIGN_INS, [userIds, appId, PAST_DAYS]);
  }
}

/** The state before or after the change. */
export interface Side {
  readonly client: RegisteredClient;
  readonly world: SignInSettings;
  readonly row: EntrantRow;
  /** The provider is removed from the installation. */
  readonly withoutProvider?: string | undefined;
}

/** @returns the rule that would give the sign-in a different result; null: the same result */
export async function ruleOfDifference(amr: readonly string[], before: Side, after: Side): Promise<string | null> {
  const [was, is] = [await firstUnmet(amr, before), await firstUnmet(amr, after)];
  return was?.otherwise === is?.otherwise ? null : (is ?? was)!.rule;
}

async function firstUnmet(
  published: readonly string[],
  { client, world, row, withoutProvider }: Side,
): Promise<Pick<EntryRule, 'rule' | 'otherwise'> | null> {
  if (withoutProvider !== undefined && published.includes(withoutProvider)) return NO_PROVIDER;
  const shown = withModel(published, row, world);
  const { facts } = await readEntryFacts(entrantOf(row, world), client, shown, world.requireAdmin2fa);
  return entryRules(facts).find(({ holds }) => !holds) ?? null;
}

const NO_PROVIDER = { rule: 'method_allowed', otherwise: 'method_not_allowed' } as const;

/**
 * The log does not say which passkey was used, so this takes one that the user has today, of the same kind if possible.
 */
function withModel(
  amr: readonly string[],
  { passkeys }: EntrantRow,
  { passkeyHost }: SignInSettings,
): readonly string[] {
  if (!isByPasskey(amr)) return amr;
  const usable = passkeys.filter(({ rpId }) => rpId === passkeyHost);
  const passkey = usable.find(({ isSynced }) => isSynced === amr.includes('swk')) ?? usable[0];
  return passkey ? [...new Set([...amr, ...passkeyAmr(passkey, { isUserVerified: amr.includes('mfa') })])] : amr;
}
