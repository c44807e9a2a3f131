import type { EntrantRow, EntrantsRepository, Place } from '../../auth/entry/entrants.repository.js';
import { type ClientChange, type Proposal, whomOf } from '../proposals/proposal.js';
import { restOf, type WalkPlace } from './walk-place.js';

/** Members read by one statement. */
const BATCH = 500;

/** A few users of many clients are read at once, because a user may have a thousand clients. */
export async function* batchesOf(
  entrants: EntrantsRepository,
  proposal: Proposal,
  from: WalkPlace | null,
): AsyncGenerator<{ change: ClientChange; read: EntrantRow[] }> {
  for (const { changes, places } of groupsOf({ ...proposal, clients: restOf(proposal.clients, from) })) {
    const few = places && (await entrants.listAt(places));
    for (const change of changes) {
      if (few) yield { change, read: few.get(change.before.app.id)! };
      else yield* pages(entrants, change, proposal, from?.appId === change.before.app.id ? from.after : null);
    }
  }
}

async function* pages(entrants: EntrantsRepository, change: ClientChange, proposal: Proposal, from: Place | null) {
  for (let after = from; ;) {
    const read = await entrants.list(change.before.app.id, whomOf(change, proposal), { after, limit: BATCH });
    yield { change, read };
    if (read.length < BATCH) return;
    after = read.at(-1)!;
  }
}

/** Clients whose users are read together; without `places`: one client, page by page. */
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
