import { Injectable } from '@nestjs/common';
import { type Actor, canAdministerPlatform } from '../../common/actor.js';
import type { KeyLimit } from '../../common/concurrency/semaphore.js';
import type { RequestContext } from '../../common/request-context.js';
import { limitOfTenants, limitsOf } from '../../common/concurrency/caller-limits.js';
import { ConcurrencyLimiter } from '../../common/concurrency/concurrency-limiter.js';
import { OnePerCaller } from '../../rate-limits/one-per-caller.js';
import { callerKey } from '../../rate-limits/counters/counter-keys.rules.js';
import { RateLimitsService } from '../../rate-limits/rate-limits.service.js';
import type { PreviewScope } from './preview-subject.js';

/**
 * Concurrent previews of a process for all callers: each evaluates up to thousands of members, and sign-ins take
 * precedence.
 */
const MAX_PARALLEL_PREVIEWS = 3;
/** Of one tenant, so that it never holds all permits; all of its apps together have one less, and each app one. */
const MAX_PER_TENANT = 2;
/** Includes one permit for platform admins, which tenants cannot use. */
const MAX_WITH_PLATFORM = MAX_PARALLEL_PREVIEWS + 1;
/** Files that are being downloaded, which only wait for each other. */
const MAX_FILES_PER_TENANT = 3;
/** Pieces of the files of all tenants that are evaluated at the same time, and of one tenant. */
const PIECES_AT_ONCE = 2;
const PIECES_AT_ONCE_OF_TENANT = 1;
/** For platform admins, so that they never wait for a tenant. */
const PIECES_AT_ONCE_OF_PLATFORM = 1;
const RETRY_SECONDS = 2;

/**
 * Limits the previews that a process evaluates. A permit is held while a preview is evaluated, about a second: a
 * client that reads a file slowly holds none, and each batch of a file waits for its turn.
 */
@Injectable()
export class PreviewLimiter {
  private readonly judged = new OnePerCaller(
    {
      busy: 'Your last preview is still in progress',
      crowded: 'Too many previews are in progress',
      retrySeconds: RETRY_SECONDS,
    },
    MAX_WITH_PLATFORM,
  );
  private readonly readers = new OnePerCaller({
    busy: 'Your last file is still in progress',
    crowded: 'Too many files are in progress',
    retrySeconds: RETRY_SECONDS,
  });
  private readonly pieces = new ConcurrencyLimiter(PIECES_AT_ONCE);
  private readonly piecesOfPlatform = new ConcurrencyLimiter(PIECES_AT_ONCE_OF_PLATFORM);

  constructor(private readonly limits: RateLimitsService) {}

  /** @throws RateLimited, ServiceUnavailable */
  async run<T>(ctx: RequestContext, about: PreviewScope, work: () => Promise<T>): Promise<T> {
    const release = await this.acquire(ctx, about);
    try {
      return await work();
    } finally {
      release();
    }
  }

  /**
   * @returns a function to call when the preview ends
   * @throws RateLimited, ServiceUnavailable
   */
  async acquire({ actor }: RequestContext, about: PreviewScope): Promise<() => void> {
    const caller = callerKey(actor) ?? SYSTEM;
    if (caller !== SYSTEM) await this.limits.consume('change_preview', caller);
    const limits = [...limitsIn(actor, about, MAX_PER_TENANT), ...limitOfTenants(actor, MAX_PARALLEL_PREVIEWS)];
    return this.judged.acquire(caller, [limits]);
  }

  /**
   * @returns a function to call when the client has the whole file, or has disconnected
   * @throws RateLimited, ServiceUnavailable
   */
  acquireFile({ actor }: RequestContext, about: PreviewScope): () => void {
    return this.readers.acquire(callerKey(actor) ?? SYSTEM, [limitsIn(actor, about, MAX_FILES_PER_TENANT)]);
  }

  /** Waits for a permit for each piece of a file. Tenants take turns. */
  eachInTurn<T>({ actor }: RequestContext, about: PreviewScope, pieces: AsyncGenerator<T>): AsyncGenerator<T> {
    const limiter = canAdministerPlatform(actor) ? this.piecesOfPlatform : this.pieces;
    return limiter.each(pieces, { limits: [limitsIn(actor, about, PIECES_AT_ONCE_OF_TENANT)] });
  }
}

const SYSTEM = 'system';

/** Platform admins have no limit, so that tenants cannot block them. */
function limitsIn(actor: Actor, { tenantId, appId }: PreviewScope, max: number): readonly KeyLimit[] {
  return canAdministerPlatform(actor) ? [] : limitsOf(actor, tenantId ?? 'several', max, appId);
}
