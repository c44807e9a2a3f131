import { Injectable } from '@nestjs/common';
import { type Actor, canAdministerPlatform, holdersOf } from '../../actor.js';
import { type KeyLimit, Semaphore } from '../../concurrency/semaphore.js';
import { Refusal } from '../../refusal.js';
import { limitOfTenants, limitsOf } from '../../concurrency/caller-limits.js';
import { ServiceUnavailable } from '../http.refusals.js';
import type { LargeBodyKind } from './large-bodies.js';

/** Permits of a process: in all, of all tenants, of each kind, and of one tenant. A platform admin always gets one. */
interface Sizes {
  readonly all: number;
  readonly tenants: number;
  readonly imports: number;
  readonly batches: number;
  readonly ofTenant: number;
}

/**
 * Bodies of up to 32 MB that this process works on concurrently. Each needs ten times that in memory. Batches have a
 * permit while the import of a tenant runs. The third permit is for platform admins: tenants cannot use it.
 */
const PROCESSING: Sizes = { all: 3, tenants: 2, imports: 1, batches: 2, ofTenant: 1 };
/**
 * Bodies that are being received, or wait to be processed. A slow upload uses little memory at first. An app with its
 * server has one of these permits, all apps of a tenant have two.
 */
const RECEIVING: Sizes = { all: 8, tenants: 7, imports: 5, batches: 5, ofTenant: 3 };

/** A received body waits this long before it is refused, because a permit may become free soon. */
const PATIENCE_MS = 10_000;

/**
 * Counts the large bodies of this process on all routes. It is a provider of its own, because Nest creates an
 * interceptor for each module that uses it.
 */
@Injectable()
export class LargeBodySemaphores {
  private readonly receiving = new Semaphore(RECEIVING.all);
  private readonly processing = new Semaphore(PROCESSING.all);

  /**
   * A permit to receive a body. @returns a function that releases it
   * @throws ServiceUnavailable
   */
  acquireToReceive(actor: Actor, kind: LargeBodyKind = 'imports'): () => void {
    const ofTenants = holdersOf(actor).map((id) => limitsOf(actor, id, RECEIVING.ofTenant, null));
    const release = this.receiving.tryAcquireAny(
      ofTenants.map((limits) => [...limits, ...limitsOfKind(actor, kind, RECEIVING)]),
    );
    if (!release) throw refusal();
    return release;
  }

  /**
   * Waits for a permit to process a received body. A tenant's import and a batch of its apps do not wait for each other.
   * @param closing aborted when the client has disconnected
   * @throws ServiceUnavailable, ClientGone
   */
  async acquireToProcess(actor: Actor, closing: AbortSignal, kind: LargeBodyKind = 'imports'): Promise<() => void> {
    const signal = AbortSignal.any([closing, AbortSignal.timeout(PATIENCE_MS)]);
    const ofTenants = holdersOf(actor).map((id) => limitsOf(actor, id, PROCESSING.ofTenant, null));
    const ofItsKind = ofTenants.map((limits) => limits.map(({ key, max }) => ({ key: `${kind} of ${key}`, max })));
    try {
      const alternatives = ofItsKind.map((limits) => [...limits, ...limitsOfKind(actor, kind, PROCESSING)]);
      return await this.processing.acquireAny(alternatives, signal);
    } catch (error) {
      throw error instanceof Refusal ? error : refusal();
    }
  }
}

/** The limits of tenants for a kind of body. */
function limitsOfKind(actor: Actor, kind: LargeBodyKind, sizes: Sizes): readonly KeyLimit[] {
  const ofKind = canAdministerPlatform(actor) ? [] : [{ key: kind, max: sizes[kind] }];
  return [...ofKind, ...limitOfTenants(actor, sizes.tenants)];
}

function refusal(): ServiceUnavailable {
  return new ServiceUnavailable('Too many large requests at once', 5);
}
