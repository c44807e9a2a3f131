import { Inject, Injectable } from '@nestjs/common';
import { AppDirectory, type RegisteredClient } from '../../apps/directory/app-directory.js';
import { RelyingParty } from '../../auth/credentials/passkeys/ceremonies/relying-party.js';
import { findOutcome, type SignInOutcome } from '../../auth/entry/sign-in-outcome.js';
import { type PastCount, PastSignInsReader, ruleOfDifference } from './past-sign-ins.js';
import { offeredProviders, PROVIDERS } from '../../config/provider-settings.js';
import { SETTINGS, type Settings } from '../../config/settings.js';
import type { Effect } from '../../auth/entry/effect.rules.js';
import { entrantOf, methodsOfUser, type SignInSettings } from '../../auth/entry/entrant-of-row.js';
import { limitToVisible, type Visibility } from '../../auth/entry/visibility.js';
import { type EntrantRow, EntrantsRepository, membershipAppIds } from '../../auth/entry/entrants.repository.js';
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
    private readonly directory: AppDirectory,
    private readonly past: PastSignInsReader,
    private readonly party: RelyingParty,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  /** @param visibility what viewers of the result may know */
  async *walk(proposal: Proposal, visibility: Visibility, options: WalkOptions = {}): AsyncGenerator<JudgedBatch> {
    const ofAll = visibleToAllMakers(proposal);
    for await (const { change, read } of batchesOf(this.entrants, proposal, options.from ?? null)) {
      const about = { change, proposal, worlds: await this.worlds(proposal, read) };
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
    const { before: world } = await this.worlds(proposal, read);
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

  /** The worlds before and after the change for these members, who may also belong to apps of other tenants. */
  private async worlds(
    { clients: judged, alsoChanged = [], withoutProvider }: Proposal,
    rows: readonly EntrantRow[],
  ): Promise<SettingsBeforeAndAfter> {
    const changes = [...judged, ...alsoChanged];
    const appIds = new Set(rows.flatMap(membershipAppIds));
    const clients = new Map<string, RegisteredClient | null>();
    for (const appId of appIds) clients.set(appId, await this.directory.findOfAnyOrigin(appId));
    const console = await this.directory.findPlatformConsole();
    const { providers, requireAdmin2fa } = this.settings;
    const known = offeredProviders(providers, PROVIDERS);
    const world = (side: 'before' | 'after'): SignInSettings => {
      const changed = new Map(changes.map((each) => [each[side].app.id, each[side]]));
      return {
        clientOf: (appId) => changed.get(appId) ?? clients.get(appId) ?? null,
        platformConsole: (console && changed.get(console.app.id)) ?? console,
        providers: side === 'before' ? known : known.filter((name) => name !== withoutProvider),
        passkeyHost: this.party.isUsable ? this.party.id : null,
        requireAdmin2fa,
      };
    };
    return { before: world('before'), after: world('after') };
  }
}
