import { Injectable } from '@nestjs/common';
import type { RegisteredClient } from '../../apps/directory/app-directory.js';
import { findOutcome, type SignInOutcome } from '../../auth/entry/sign-in-outcome.js';
import { type PastCount, PastSignInsReader, ruleOfDifference } from './past-sign-ins.js';
import type { Effect } from '../../auth/entry/effect.rules.js';
import { entrantOf, methodsOfUser } from '../../auth/entry/entrant-of-row.js';
import { SignInWorlds, withClients } from '../../auth/entry/sign-in-worlds.js';
import { limitToVisible, type Visibility } from '../../auth/entry/visibility.js';
import { type EntrantRow, EntrantsRepository } from '../../auth/entry/entrants.repository.js';
import {
  type JudgedChange,
  judgeAgain,
  judgeAll,
  type JudgedMembers,
  type SettingsBeforeAndAfter,
} from './judged-members.js';
import { batchesOf } from './member-walk.js';
import { visibleToAllMakers, type Proposal, whomOf } from '../proposals/proposal.js';
import { walkCursorOf, type WalkCursor } from './walk-cursor.js';

/** Results for some members of an app. */
export interface JudgedBatch extends JudgedMembers {
  /** Number of evaluated members. */
  readonly members: number;
  /** The effects without users, as far as every admin who reads the audit log may know; null: not requested. */
  readonly forLog: readonly Effect[] | null;
  /** Null: not requested. */
  readonly past: PastCount | null;
  /** Where another walk can continue; null: not here. */
  readonly cursor: WalkCursor | null;
}

/** Additional results of {@link ChangeEffects.walk}. */
export interface WalkOptions {
  readonly forLog?: boolean;
  readonly past?: boolean;
  /**
   * Where an earlier walk of the same proposal stopped. Absent, or in an app that is no longer in the proposal: starts
   * over.
   */
  readonly from?: WalkCursor | null;
}

/**
 * Maximum number of memberships that are evaluated while the caller waits, less than a second. For changed settings,
 * more become a task.
 */
export const MAX_INLINE_MEMBERS = 10_000;

/**
 * Computes the effects of a change on each member of the apps: evaluates their next sign-in twice by the rules of
 * sign-in, before and after the change. Reads in batches, holds no connection between them, and writes nothing.
 */
@Injectable()
export class ChangeEffects {
  constructor(
    private readonly entrants: EntrantsRepository,
    private readonly past: PastSignInsReader,
    private readonly worlds: SignInWorlds,
  ) {}

  /** @param visibility what viewers of the result may know */
  async *walk(proposal: Proposal, visibility: Visibility, options: WalkOptions = {}): AsyncGenerator<JudgedBatch> {
    const ofAll = visibleToAllMakers(proposal);
    for await (const { change, read } of batchesOf(this.entrants, proposal, options.from ?? null)) {
      const about = { change, proposal, worlds: await this.worldsOf(proposal, read) };
      const cutTo = (each: Visibility) =>
        read.map((row) => limitToVisible(each, row, change.before, about.worlds.before));
      const rows = cutTo(visibility);
      const { affected, enter } = await judgeAll(rows, about);
      const forLog = options.forLog ? await judgeAgain(cutTo(ofAll), { rows, affected }, about) : null;
      const past = options.past ? await this.judgePast(rows, about) : null;
      const cursor = walkCursorOf(change.before.app.id, read);
      yield { members: rows.length, affected, enter, forLog, past, cursor };
    }
  }

  /** Number of memberships that {@link walk} would evaluate. @param most null: no limit */
  async count(proposal: Proposal, most: number | null): Promise<number> {
    let count = 0;
    for (const change of proposal.clients) {
      const left = most === null ? null : most - count;
      if (left !== null && left <= 0) break;
      count += await this.entrants.count(change.before.app.id, whomOf(change, proposal), left);
    }
    return count;
  }

  /**
   * Current result of the next sign-in of these users at the app, as far as its admins may know it. Users without an
   * account are left out.
   * @param tenantId of the change
   */
  async listOutcomes(
    client: RegisteredClient,
    userIds: readonly string[],
    tenantId: string,
  ): Promise<{ row: EntrantRow; signIn: SignInOutcome }[]> {
    const page = { after: null, limit: userIds.length };
    const read = await this.entrants.list(client.app.id, userIds, page);
    const proposal = { clients: [{ before: client, after: client }], tenantId };
    const { before: world } = await this.worldsOf(proposal, read);
    const visibility = visibleToAllMakers(proposal);
    const rows = read.map((row) => limitToVisible(visibility, row, client, world));
    const outcomeOf = (row: EntrantRow) =>
      findOutcome(entrantOf(row, world), client, methodsOfUser(row, world), world.requireAdmin2fa);
    return Promise.all(rows.map(async (row) => ({ row, signIn: await outcomeOf(row) })));
  }

  private async judgePast(rows: readonly EntrantRow[], { change, proposal, worlds }: JudgedChange): Promise<PastCount> {
    const byUser = new Map(rows.map((row) => [row.userId, row]));
    const otherwise = new Map<string, number>();
    let signIns = 0;
    for (const { userId, amr, count } of await this.past.list(change.before.app.id, [...byUser.keys()])) {
      const row = byUser.get(userId)!;
      signIns += count;
      const rule = await ruleOfDifference(
        amr,
        { client: change.before, world: worlds.before, row },
        { client: change.after, world: worlds.after, row, withoutProvider: proposal.withoutProvider },
      );
      if (rule) otherwise.set(rule, (otherwise.get(rule) ?? 0) + count);
    }
    return { signIns, otherwise };
  }

  /** The worlds before and after the change for these members. */
  private async worldsOf(
    { clients, alsoChanged = [], withoutProvider }: Proposal,
    rows: readonly EntrantRow[],
  ): Promise<SettingsBeforeAndAfter> {
    const now = await this.worlds.of(rows);
    const changes = [...clients, ...alsoChanged];
    const providers = now.providers.filter((name) => name !== withoutProvider);
    const before = changes.map((each) => each.before);
    const after = changes.map((each) => each.after);
    return { before: withClients(now, before), after: withClients({ ...now, providers }, after) };
  }
}
