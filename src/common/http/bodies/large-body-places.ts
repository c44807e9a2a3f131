import { Injectable } from '@nestjs/common';
import { type Actor, canAdministerPlatform, holdersOf } from '../../actor.js';
import { Places, type Share } from '../../concurrency/places.js';
import { Refusal } from '../../refusal.js';
import { shareOfTenants, sharesOf } from '../../concurrency/shares.js';
import { ServiceUnavailable } from '../http.refusals.js';
import type { LargeBodyKind } from './large-bodies.js';

/** Places of a process: in all, of all tenants, of each kind, and of one tenant. A platform admin always gets one. */
interface Sizes {
  readonly all: number;
  readonly tenants: number;
  readonly imports: number;
  readonly batches: number;
  readonly ofTenant: number;
}

/**
 * Bodies of up to 32 MB that this process works on concurrently. Each needs ten times that in memory. Batches have a
 * place while the import of a tenant runs. The third place is for platform admins: tenants cannot use it.
 */
const WORKED_ON: Sizes = { all: 3, tenants: 2, imports: 1, batches: 2, ofTenant: 1 };
/**
 * Bodies that are being received, or wait for a place to be worked on. A slow upload uses little memory at first. An
 * app with its server has one of these places, all apps of a tenant have two.
 */
const SENT: Sizes = { all: 8, tenants: 7, imports: 5, batches: 5, ofTenant: 3 };

/** A received body waits this long before it is refused, because a place may become free soon. */
const PATIENCE_MS = 10_000;

/**
 * Counts the large bodies of this process on all routes. It is a provider of its own, because Nest creates an
 * interceptor for each module that uses it.
 */
@Injectable()
export class LargeBodyPlaces {
  private readonly sent = new Places(SENT.all);
  private readonly workedOn = new Places(WORKED_ON.all);

  /**
   * A place for a body that is being received. @returns a function that gives the place back
   * @throws ServiceUnavailable
   */
  takeToSend(actor: Actor, kind: LargeBodyKind = 'imports'): () => void {
    const ofTenants = holdersOf(actor).map((id) => sharesOf(actor, id, SENT.ofTenant, null));
    const leave = this.sent.takeAny(ofTenants.map((shares) => [...shares, ...sharesOfKind(actor, kind, SENT)]));
    if (!leave) throw refusal();
    return leave;
  }

  /**
   * A place to work on a received body. A tenant's import and a batch of its apps do not wait for each other.
   * @param closing aborted when the client has disconnected
   * @throws ServiceUnavailable, ClientGone
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

/** The shares of tenants for a kind of body. */
function sharesOfKind(actor: Actor, kind: LargeBodyKind, sizes: Sizes): readonly Share[] {
  const ofKind = canAdministerPlatform(actor) ? [] : [{ of: kind, most: sizes[kind] }];
  return [...ofKind, ...shareOfTenants(actor, sizes.tenants)];
}

function refusal(): ServiceUnavailable {
  return new ServiceUnavailable('Too many large requests at once', 5);
}
