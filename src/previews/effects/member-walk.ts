import type { EntrantRow, EntrantsRepository, MemberCursor } from '../../auth/entry/entrants.repository.js';
import { type ClientChange, type Proposal, whomOf } from '../proposals/proposal.js';
import { restOf, type WalkCursor } from './walk-cursor.js';

/** Members read by one statement. */
const BATCH = 500;

/** A few users of many clients are read at once, because a user may have a thousand clients. */
export async function* batchesOf(
  entrants: EntrantsRepository,
  proposal: Proposal,
  from: WalkCursor | null,
): AsyncGenerator<{ change: ClientChange; read: EntrantRow[] }> {
  for (const { changes, usersAtApps } of groupsOf({ ...proposal, clients: restOf(proposal.clients, from) })) {
    const few = usersAtApps && (await entrants.listAt(usersAtApps));
    for (const change of changes) {
      if (few) yield { change, read: few.get(change.before.app.id)! };
      else yield* pages(entrants, change, proposal, from?.appId === change.before.app.id ? from.after : null);
    }
  }
}

async function* pages(
  entrants: EntrantsRepository,
  change: ClientChange,
  proposal: Proposal,
  from: MemberCursor | null,
) {
  for (let after = from; ;) {
    const read = await entrants.list(change.before.app.id, whomOf(change, proposal), { after, limit: BATCH });
    yield { change, read };
    if (read.length < BATCH) return;
    after = read.at(-1)!;
  }
}

/** Clients whose users are read together; without `usersAtApps`: one client, page by page. */
interface Group {
  readonly changes: ClientChange[];
  readonly usersAtApps: { appId: string; userIds: readonly string[] }[] | null;
}

function groupsOf(proposal: Proposal): Group[] {
  const groups: Group[] = [];
  let left = 0;
  for (const change of proposal.clients) {
    const whom = whomOf(change, proposal);
    const isFew = Array.isArray(whom) && whom.length < BATCH;
    const userIds = isFew ? (whom as readonly string[]) : [];
    const usersAtApp = { appId: change.before.app.id, userIds };
    const last = groups.at(-1);
    if (isFew && last?.usersAtApps && left >= userIds.length) {
      last.changes.push(change);
      last.usersAtApps.push(usersAtApp);
    } else {
      groups.push({ changes: [change], usersAtApps: isFew ? [usersAtApp] : null });
      left = BATCH;
    }
    left -= userIds.length;
  }
  return groups;
}
