import { Inject, Injectable } from '@nestjs/common';
import { AppDirectory, type RegisteredClient } from '../../apps/directory/app-directory.js';
import { RelyingParty } from '../../auth/credentials/passkeys/ceremonies/relying-party.js';
import { findWayIn, type WayIn } from '../../auth/entry/way-in.js';
import { type PastCount, PastSignInsReader, ruleOfDifference } from './past-sign-ins.js';
import { offeredProviders, PROVIDERS } from '../../config/provider-settings.js';
import { SETTINGS, type Settings } from '../../config/settings.js';
import type { Effect } from '../../auth/entry/effect.rules.js';
import { entrantOf, waysOf, type World } from '../../auth/entry/entrant-of-row.js';
import { asKnownTo, type Knowledge } from '../../auth/entry/knowledge.js';
import { type EntrantRow, EntrantsRepository } from '../../auth/entry/entrants.repository.js';
import { type About, judgeAgain, judgeAll, type JudgedMembers, type Worlds } from './judged-members.js';
import { batchesOf } from './member-walk.js';
import { knowledgeFor, knownToAllMakers, type Proposal, whomOf } from '../proposals/proposal.js';
import { placeOf, type WalkPlace } from './walk-place.js';

/** What was found about some members of an app. */
export interface Judged extends JudgedMembers {
  /** How many were looked at. */
  readonly members: number;
  /** The effects alone, as every admin may know them who reads the audit log; null: not asked for. */
  readonly forLog: readonly Effect[] | null;
  /** Null: not asked for. */
  readonly past: PastCount | null;
  /** Where another walk may go on; null: not here. */
  readonly place: WalkPlace | null;
}

/** What {@link ChangeEffects.walk} finds besides the users who are affected. */
export interface Findings {
  readonly forLog?: boolean;
  readonly past?: boolean;
  /** Where another walk of the same proposal has stopped; absent, or of an app that the proposal no longer names: at the beginning. */
  readonly from?: WalkPlace | null;
}

/** Memberships that are judged while the caller waits, less than a second. Of changed settings, more become a task. */
export const MOST_INLINE = 10_000;

/**
 * What a change would do to each member of the apps: their next sign-in is judged twice by the rules of sign-in, with
 * things as they are and as they would be. Reads in batches, holds no connection between them, and writes nothing.
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

  /** @param knowledge of those who see the result */
  async *walk(proposal: Proposal, knowledge: Knowledge, asked: Findings = {}): AsyncGenerator<Judged> {
    const ofAll = knownToAllMakers(proposal);
    for await (const { change, read } of batchesOf(this.entrants, proposal, asked.from ?? null)) {
      const about = { change, proposal, worlds: await this.worlds(proposal, read) };
      const cutTo = (each: Knowledge) => read.map((row) => asKnownTo(each, row, change.before, about.worlds.before));
      const rows = cutTo(knowledge);
      const { affected, enter } = await judgeAll(rows, about);
      const forLog = asked.forLog ? await judgeAgain(cutTo(ofAll), { rows, affected }, about) : null;
      const past = asked.past ? await this.judgePast(rows, about) : null;
      const place = placeOf(change.before.app.id, read);
      yield { members: rows.length, affected, enter, forLog, past, place };
    }
  }

  /** Memberships that {@link walk} would judge. @param most null: all are counted */
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
   * Where the next sign-in of these users to the app leads now. Users without an account are left out.
   * @param about whose change it was, and whether its operator could know everything
   */
  async listWays(
    client: RegisteredClient,
    userIds: readonly string[],
    { tenantId, knowsAll }: { readonly tenantId: string; readonly knowsAll: boolean },
  ): Promise<{ row: EntrantRow; way: WayIn }[]> {
    const page = { after: null, limit: userIds.length };
    const read = await this.entrants.list(client.app.id, userIds, page);
    const proposal = { clients: [{ before: client, after: client }], tenantId };
    const { before: world } = await this.worlds(proposal, read);
    const knowledge = knowledgeFor(proposal, knowsAll);
    const rows = read.map((row) => asKnownTo(knowledge, row, client, world));
    const wayOf = (row: EntrantRow) =>
      findWayIn(entrantOf(row, world), client, waysOf(row, world), world.ofAdministrators);
    return Promise.all(rows.map(async (row) => ({ row, way: await wayOf(row) })));
  }

  private async judgePast(rows: readonly EntrantRow[], { change, proposal, worlds }: About): Promise<PastCount> {
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

  /** Both worlds of these members. They may belong to apps of other tenants, too. */
  private async worlds(
    { clients: judged, alsoChanged = [], withoutProvider }: Proposal,
    rows: readonly EntrantRow[],
  ): Promise<Worlds> {
    const changes = [...judged, ...alsoChanged];
    const appIds = new Set(rows.flatMap(({ memberships }) => memberships.map(({ appId }) => appId)));
    const clients = new Map<string, RegisteredClient | null>();
    for (const appId of appIds) clients.set(appId, await this.directory.findOfAnyOrigin(appId));
    const { providers, requireAdmin2fa } = this.settings;
    const known = offeredProviders(providers, PROVIDERS);
    const world = (side: 'before' | 'after'): World => {
      const changed = new Map(changes.map((each) => [each[side].app.id, each[side]]));
      return {
        clientOf: (appId) => changed.get(appId) ?? clients.get(appId) ?? null,
        providers: side === 'before' ? known : known.filter((name) => name !== withoutProvider),
        passkeyHost: this.party.isUsable ? this.party.id : null,
        ofAdministrators: requireAdmin2fa,
      };
    };
    return { before: world('before'), after: world('after') };
  }
}
