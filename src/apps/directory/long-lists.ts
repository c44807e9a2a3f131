import { Injectable } from '@nestjs/common';
import type { Response } from 'express';
import { type Actor, canAdministerPlatform, holdersOf } from '../../common/actor.js';
import { limitOfApps, limitOfTenants } from '../../common/concurrency/caller-limits.js';
import { type AlternativeLimits, Semaphore } from '../../common/concurrency/semaphore.js';
import { ServiceUnavailable } from '../../common/http/http.refusals.js';
import { closingOf } from '../../common/http/streams/closing-of.js';
import { callerKey } from '../../rate-limits/counters/counter-keys.rules.js';

const MAX_OF_CALLER = 2;
const MAX_OF_HOLDER = 4;
const MAX_OF_TENANTS = 12;
/** As an export: a client that reads slowly on purpose must not keep a place without end. */
const MAX_MS = 15 * 60_000;
const MAX_WAIT_MS = 10_000;
const RETRY_SECONDS = 10;

/**
 * Places for lists of apps that are sent in parts: with pictures, a part has megabytes, and is kept until the client has
 * read it. Others wait for a moment, because most clients read fast.
 */
@Injectable()
export class LongLists {
  private readonly places = new Semaphore(Number.POSITIVE_INFINITY);

  /**
   * Waits for a place, which the list has until the response is closed.
   * @throws ServiceUnavailable, ClientGone
   */
  async enter(actor: Actor, response: Response): Promise<void> {
    const closing = closingOf(response);
    const tooLong = AbortSignal.timeout(MAX_WAIT_MS);
    const entered = this.places.acquireAny(limitsOf(actor), AbortSignal.any([closing, tooLong]));
    const leave = await entered.catch((error: unknown) => {
      throw tooLong.aborted ? new ServiceUnavailable('Too many lists are in progress', RETRY_SECONDS) : error;
    });
    const end = setTimeout(() => response.destroy(), MAX_MS).unref();
    const close = () => {
      clearTimeout(end);
      leave();
    };
    closing.addEventListener('abort', close, { once: true });
    if (closing.aborted) close();
  }
}

/** Lists of tenants leave places to platform admins, and those of apps and their servers to the tenant's admins. */
function limitsOf(actor: Actor): AlternativeLimits {
  const ofCaller = { key: `caller ${callerKey(actor) ?? actor.type}`, max: MAX_OF_CALLER };
  const own = canAdministerPlatform(actor) ? [] : [ofCaller];
  return holdersOf(actor).map((key) => [
    ...own,
    ...limitOfApps(actor, key, MAX_OF_HOLDER),
    { key, max: MAX_OF_HOLDER },
    ...limitOfTenants(actor, MAX_OF_TENANTS),
  ]);
}
