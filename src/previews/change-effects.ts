import { isDeepStrictEqual } from 'node:util';
import { Inject, Injectable } from '@nestjs/common';
import { AppDirectory, type RegisteredClient } from '../apps/app-directory.js';
import { RelyingParty } from '../auth/credentials/passkeys/relying-party.js';
import { findWayIn, leadsIn, type WayIn } from '../auth/entry/way-in.js';
import { type PastCount, PastSignInsReader, ruleOfDifference } from './past-sign-ins.js';
import { offeredProviders, type ProviderName, PROVIDERS } from '../config/provider-settings.js';
import { SETTINGS, type Settings } from '../config/settings.js';
import { isOffered } from '../enrollment/offered-roles.rules.js';
import { type Effect, type EffectWithRule, effectOf } from '../auth/entry/effect.rules.js';
import { entrantOf, waysOf, type World } from '../auth/entry/entrant-of-row.js';
import { asKnownTo, EVERYTHING, type Knowledge } from '../auth/entry/knowledge.js';
import { type EntrantRow, EntrantsRepository, type Place, type Whom } from '../auth/entry/entrants.repository.js';
import { placeOf, restOf, type WalkPlace } from './walk-place.js';

/** One app with its tenant, as it is and as it would be. */
export interface ClientChange {
  readonly before: RegisteredClient;
  readonly after: RegisteredClient;
  /** Absent: its members, or whom the proposal names. */
  readonly whom?: Whom;
}

export interface Affected extends EffectWithRule {
  readonly appId: string;
  readonly appName: string;
  readonly userId: string;
  readonly email: string;
  readonly displayName: string;
  /** As `allowed_providers` calls them; null: no way in. */
  readonly methodBefore: string | null;
  readonly methodAfter: string | null;
}

/** What was found about some members of an app. */
export interface Judged {
  /** How many were looked at. */
  readonly members: number;
  readonly affected: readonly Affected[];
  /** How many could enter after the change. */
  readonly enter: number;
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

/** What is proposed. */
export interface Proposal {
  /** The apps whose sign-in it concerns. */
  readonly clients: readonly ClientChange[];
  /** Apps that change as well, whose members are not looked at. Their tenant may demand something of its administrators elsewhere. */
  readonly alsoChanged?: readonly ClientChange[];
  /** In whose tenant. */
  readonly tenantId: string | null;
  /** Absent: all members. */
  readonly userIds?: readonly string[];
  /** A member of an app as they would be; absent: as they are. */
  readonly memberAfter?: (row: EntrantRow, appId: string) => EntrantRow;
  /** An identity provider that the installation would no longer have. */
  readonly withoutProvider?: ProviderName;
}

/** Memberships that are judged while the caller waits, less than a second. Of changed settings, more become a task. */
export const MOST_INLINE = 10_000;

/** Members read by one statement. */
const BATCH = 500;

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

  /** @param known to the caller. True: everything; false: what everyone knows who may make this change */
  async *walk(proposal: Proposal, known: Knowledge | boolean, asked: Findings = {}): AsyncGenerator<Judged> {
    const knowledge = typeof known === 'boolean' ? knowledgeFor(proposal, known) : known;
    const ofAll = knowledgeFor(proposal, false);
    for await (const { change, read } of this.batches(proposal, asked.from ?? null)) {
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

  /** Few users of many clients are read at once: a user may have a thousand clients. */
  private async *batches(
    proposal: Proposal,
    from: WalkPlace | null,
  ): AsyncGenerator<{ change: ClientChange; read: EntrantRow[] }> {
    for (const { changes, places } of groupsOf({ ...proposal, clients: restOf(proposal.clients, from) })) {
      const few = places && (await this.entrants.listAt(places));
      for (const change of changes) {
        if (few) yield { change, read: few.get(change.before.app.id)! };
        else yield* this.pages(change, proposal, from?.appId === change.before.app.id ? from.after : null);
      }
    }
  }

  private async *pages(change: ClientChange, proposal: Proposal, from: Place | null) {
    for (let after = from; ;) {
      const read = await this.entrants.list(change.before.app.id, whomOf(change, proposal), { after, limit: BATCH });
      yield { change, read };
      if (read.length < BATCH) return;
      after = read.at(-1)!;
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

interface Worlds {
  readonly before: World;
  readonly after: World;
}

function whomOf({ before: { app, tenant }, whom }: ClientChange, { userIds, withoutProvider }: Proposal): Whom {
  if (whom) return whom;
  if (userIds) return userIds;
  if (withoutProvider) return { linkedTo: withoutProvider };
  return app.isConsoleApp && tenant.isPlatform ? 'administrators' : 'members';
}

/** Clients whose users are read together; without places: one, page by page. */
interface Group {
  readonly changes: ClientChange[];
  readonly places: { appId: string; userIds: readonly string[] }[] | null;
}

function groupsOf(proposal: Proposal): Group[] {
  const groups: Group[] = [];
  let left = 0;
  for (const change of proposal.clients) {
    const whom = whomOf(change, proposal);
    const isFew = Array.isArray(whom) && whom.length < BATCH;
    const userIds = isFew ? (whom as readonly string[]) : [];
    const place = { appId: change.before.app.id, userIds };
    const last = groups.at(-1);
    if (isFew && last?.places && left >= userIds.length) {
      last.changes.push(change);
      last.places.push(place);
    } else {
      groups.push({ changes: [change], places: isFew ? [place] : null });
      left = BATCH;
    }
    left -= userIds.length;
  }
  return groups;
}

interface About {
  readonly change: ClientChange;
  readonly proposal: Proposal;
  readonly worlds: Worlds;
}

async function judgeAll(rows: readonly EntrantRow[], about: About): Promise<Pick<Judged, 'affected' | 'enter'>> {
  const { id: appId, name: appName } = about.change.before.app;
  const affected: Affected[] = [];
  let enter = 0;
  for (const row of rows) {
    const { effect, was, is } = await judgeOne(row, about);
    if (leadsIn(is)) enter++;
    if (!effect) continue;
    const { userId, email, displayName } = row;
    const methods = { methodBefore: was.method, methodAfter: is.method };
    affected.push({ ...effect, appId, appName, userId, email, displayName, ...methods });
  }
  return { affected, enter };
}

/** Likewise, of rows that are cut otherwise; most are the same. @returns the effects */
async function judgeAgain(
  rows: readonly EntrantRow[],
  judged: { readonly rows: readonly EntrantRow[]; readonly affected: readonly Affected[] },
  about: About,
): Promise<Effect[]> {
  const others = rows.filter((row, index) => !isDeepStrictEqual(row, judged.rows[index]));
  const again = new Set(others.map(({ userId }) => userId));
  const { affected } = await judgeAll(others, about);
  return [...judged.affected.filter(({ userId }) => !again.has(userId)), ...affected].map(({ effect }) => effect);
}

/** By the rules of sign-in, before and after. */
async function judgeOne(
  row: EntrantRow,
  { change, proposal, worlds: { before, after } }: About,
): Promise<{ effect: EffectWithRule | null; was: WayIn; is: WayIn }> {
  const later = proposal.memberAfter?.(row, change.before.app.id) ?? row;
  const was = await findWayIn(entrantOf(row, before), change.before, waysOf(row, before), before.ofAdministrators);
  const is = await findWayIn(entrantOf(later, after), change.after, waysOf(later, after), after.ofAdministrators);
  return { effect: effectOf(was, is) ?? withdrawnRole(later.roles ?? [], change), was, is };
}

/** A role that they keep, although the app no longer offers it. */
function withdrawnRole(roles: readonly string[], { before, after }: ClientChange): EffectWithRule | null {
  const isWithdrawn = roles.some((role) => isOffered(before.app, role) && !isOffered(after.app, role));
  return isWithdrawn ? { effect: 'role_withdrawn', rule: 'role_offered' } : null;
}

/** Where no caller asks: everything, or the apps that the change itself is about. */
function knowledgeFor({ clients, tenantId }: Proposal, ofEverything: boolean): Knowledge {
  if (ofEverything) return EVERYTHING;
  const changed = new Set(clients.map(({ before }) => before.app.id));
  return { ofEverything, of: (app) => app.tenantId === tenantId && changed.has(app.id) };
}
