import { Injectable } from '@nestjs/common';
import { type Actor, canAdministerPlatform } from '../../common/actor.js';
import type { Share } from '../../common/concurrency/places.js';
import type { RequestContext } from '../../common/request-context.js';
import { shareOfTenants, sharesOf } from '../../common/concurrency/shares.js';
import { Turns } from '../../common/concurrency/turns.js';
import { CallerPlaces } from '../../rate-limits/caller-places.js';
import { callerKey } from '../../rate-limits/counters/counter-keys.rules.js';
import { RateLimitsService } from '../../rate-limits/rate-limits.service.js';
import type { PreviewedPlace } from './preview-subject.js';

/**
 * Concurrent previews of a process for all callers: each evaluates up to thousands of members, and sign-ins take
 * precedence.
 */
const MOST_AT_ONCE = 3;
/** Of one tenant, so that it never takes all places; all of its apps together have one less, and each app one. */
const MOST_OF_TENANT = 2;
/** Includes one place for platform admins, which tenants cannot use. */
const MOST_WITH_PLATFORM = MOST_AT_ONCE + 1;
/** Files that are being downloaded, which only wait for each other. */
const MOST_FILES_OF_TENANT = 3;
const FILES_JUDGED_AT_ONCE = 2;
const RETRY_SECONDS = 2;

/**
 * Limits the previews that a process evaluates. A place is for evaluating, which takes about a second: a client that
 * reads a file slowly holds none, and each batch of a file waits for its turn.
 */
@Injectable()
export class PreviewPlaces {
  private readonly judged = new CallerPlaces(
    {
      busy: 'Your last preview is still in progress',
      crowded: 'Too many previews are in progress',
      retrySeconds: RETRY_SECONDS,
    },
    MOST_WITH_PLATFORM,
  );
  private readonly readers = new CallerPlaces({
    busy: 'Your last file is still in progress',
    crowded: 'Too many files are in progress',
    retrySeconds: RETRY_SECONDS,
  });
  private readonly turns = new Turns(FILES_JUDGED_AT_ONCE);

  constructor(private readonly limits: RateLimitsService) {}

  /** @throws RateLimited, ServiceUnavailable */
  async run<T>(ctx: RequestContext, about: PreviewedPlace, work: () => Promise<T>): Promise<T> {
    const leave = await this.take(ctx, about);
    try {
      return await work();
    } finally {
      leave();
    }
  }

  /**
   * @returns a function to call when the preview ends
   * @throws RateLimited, ServiceUnavailable
   */
  async take({ actor }: RequestContext, about: PreviewedPlace): Promise<() => void> {
    const caller = callerKey(actor) ?? SYSTEM;
    if (caller !== SYSTEM) await this.limits.consume('change_preview', caller);
    const shares = [...sharesIn(actor, about, MOST_OF_TENANT), ...shareOfTenants(actor, MOST_AT_ONCE)];
    return this.judged.take(caller, [shares]);
  }

  /**
   * @returns a function to call when the client has the whole file, or has disconnected
   * @throws RateLimited, ServiceUnavailable
   */
  takeFile({ actor }: RequestContext, about: PreviewedPlace): () => void {
    return this.readers.take(callerKey(actor) ?? SYSTEM, [sharesIn(actor, about, MOST_FILES_OF_TENANT)]);
  }

  /** Takes a turn for each piece of a file. */
  inTurns<T>(pieces: AsyncGenerator<T>): AsyncGenerator<T> {
    return this.turns.each(pieces);
  }
}

const SYSTEM = 'system';

/** Platform admins have no share, so that tenants cannot block them. */
function sharesIn(actor: Actor, { tenantId, appId }: PreviewedPlace, most: number): readonly Share[] {
  return canAdministerPlatform(actor) ? [] : sharesOf(actor, tenantId ?? 'several', most, appId);
}
