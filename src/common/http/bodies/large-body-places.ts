import { Injectable } from '@nestjs/common';
import { type Actor, canAdministerPlatform, holdersOf } from '../../actor.js';
import { Places, type Share } from '../../concurrency/places.js';
import { Refusal } from '../../refusal.js';
import { shareOfTenants, sharesOf } from '../../concurrency/shares.js';
import { ServiceUnavailable } from '../http.refusals.js';
import type { LargeBodyKind } from './large-bodies.js';

/** How many a process has, how many of them tenants can have, of each kind, and one of them. A platform admin always has one. */
interface Sizes {
  readonly all: number;
  readonly tenants: number;
  readonly imports: number;
  readonly batches: number;
  readonly ofTenant: number;
}

/**
 * Bodies of up to 32 MB that this process works on at a time: ten times that in memory, each. While the import of a tenant
 * runs, batches have a place. The third is for platform admins: no tenant can fill it.
 */
const WORKED_ON: Sizes = { all: 3, tenants: 2, imports: 1, batches: 2, ofTenant: 1 };
/**
 * Bodies that are on their way, or have come and wait for their place. A slow one has little in memory yet. An app with
 * its server has one of them, and all apps of a tenant two.
 */
const SENT: Sizes = { all: 8, tenants: 7, imports: 5, batches: 5, ofTenant: 3 };

/** One that has come is not refused at once: the one before it may end soon. */
const PATIENCE_MS = 10_000;

/** The large bodies that the process has in hand, at whatever route: Nest makes an interceptor for each module that uses it. */
@Injectable()
export class LargeBodyPlaces {
  private readonly sent = new Places(SENT.all);
  private readonly workedOn = new Places(WORKED_ON.all);

  /** For one that is being sent. @returns gives the place back @throws ServiceUnavailable */
  takeToSend(actor: Actor, kind: LargeBodyKind = 'imports'): () => void {
    const ofTenants = holdersOf(actor).map((id) => sharesOf(actor, id, SENT.ofTenant, null));
    const leave = this.sent.takeAny(ofTenants.map((shares) => [...shares, ...sharesOfKind(actor, kind, SENT)]));
    if (!leave) throw refusal();
    return leave;
  }

  /**
   * For one that has come. A tenant's import and a batch of its apps do not wait for each other.
   * @param closing ends when the client has gone @throws ServiceUnavailable, ClientGone
   */
  async waitToWork(actor: Actor, closing: AbortSignal, kind: LargeBodyKind = 'imports'): Promise<() => void> {
    const signal = AbortSignal.any([closing, AbortSignal.timeout(PATIENCE_MS)]);
    const ofTenants = holdersOf(actor).map((id) => sharesOf(actor, id, WORKED_ON.ofTenant, null));
    const ofItsKind = ofTenants.map((shares) => shares.map(({ of, most }) => ({ of: `${kind} of ${of}`, most })));
    try {
      const ways = ofItsKind.map((shares) => [...shares, ...sharesOfKind(actor, kind, WORKED_ON)]);
      return await this.workedOn.waitForAny(ways, signal);
    } catch (error) {
      throw error instanceof Refusal ? error : refusal();
    }
  }
}

/** What tenants have of a kind. */
function sharesOfKind(actor: Actor, kind: LargeBodyKind, sizes: Sizes): readonly Share[] {
  const ofKind = canAdministerPlatform(actor) ? [] : [{ of: kind, most: sizes[kind] }];
  return [...ofKind, ...shareOfTenants(actor, sizes.tenants)];
}

function refusal(): ServiceUnavailable {
  return new ServiceUnavailable('Too many large requests at once', 5);
}
