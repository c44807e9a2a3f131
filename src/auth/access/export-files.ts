import { Injectable } from '@nestjs/common';
import { type Actor, canAdministerPlatform } from '../../common/actor.js';
import { alternativeLimitsOf, type TenantOrApp } from '../../common/concurrency/caller-limits.js';
import { ConcurrencyLimiter, NO_REST, type RunOptions } from '../../common/concurrency/concurrency-limiter.js';
import type { StreamedFile } from '../../common/http/streams/streamed-file.js';
import type { RequestContext } from '../../common/request-context.js';
import { callerKey } from '../../rate-limits/counters/counter-keys.rules.js';
import { OnePerCaller } from '../../rate-limits/one-per-caller.js';
import { CallerAuthorities } from './caller-authorities.service.js';

/** Files of one tenant that are downloaded at the same time: one of each app, and two of all its apps together. */
const MAX_FILES_PER_TENANT = 3;
/** Pages of the files of all tenants that are read at the same time: each uses one of ten connections. */
const PAGES_AT_ONCE = 2;
const PAGES_AT_ONCE_OF_TENANT = 1;
/** For platform admins, so that they never wait for a tenant. */
const PAGES_AT_ONCE_OF_PLATFORM = 1;
/** Maximum time of a download. At 300 ms a page, a million users take 5 minutes, and 15 beside two other exports. */
const MAX_MS = 30 * 60_000;

/**
 * Exports of users, apps and tenants, and the users of a preview. All of them share these limits, in addition to the rate limits. A file that is
 * downloaded holds a permit of its caller, and of its app or tenant. It uses the database only while a page is read. Pages
 * are read without a rest: where several exports wait, they take turns.
 */
@Injectable()
export class ExportFiles {
  private readonly downloads = new OnePerCaller({
    busy: 'Your last export is still in progress',
    crowded: 'Too many exports are in progress',
    retrySeconds: 10,
  });
  private readonly pages = new ConcurrencyLimiter(PAGES_AT_ONCE, { rest: NO_REST });
  private readonly pagesOfPlatform = new ConcurrencyLimiter(PAGES_AT_ONCE_OF_PLATFORM, { rest: NO_REST });

  constructor(private readonly authorities: CallerAuthorities) {}

  /**
   * Each piece is sent only if the reader still has the authority. `chunks` must be read or returned.
   * @param holders tenants or apps whose data the file contains
   * @param open records the export and returns the file; it waits for its turn, as each piece does
   * @param closing aborted when the client has disconnected, which ends the wait
   * @throws TooManyAtOnce, ServiceUnavailable, the reason of the signal, and errors of `open`
   */
  async begin(
    ctx: RequestContext,
    holders: readonly TenantOrApp[],
    closing: AbortSignal | undefined,
    open: () => Promise<StreamedFile>,
  ): Promise<StreamedFile> {
    const { actor } = ctx;
    if (actor.type === 'system') return open();
    const limits = (max: number) => (canAdministerPlatform(actor) ? [[]] : alternativeLimitsOf(actor, holders, max));
    const release = this.downloads.acquire(callerKey(actor) ?? actor.type, limits(MAX_FILES_PER_TENANT));
    const options = { limits: limits(PAGES_AT_ONCE_OF_TENANT), ...(closing && { signal: closing }) };
    try {
      const file = await this.pagesFor(actor).run(open, options);
      return { ...file, longestMs: MAX_MS, chunks: this.inTurn(ctx, file.chunks, options, release) };
    } catch (error) {
      release();
      throw error;
    }
  }

  private async *inTurn(
    ctx: RequestContext,
    chunks: AsyncGenerator<string>,
    options: RunOptions,
    release: () => void,
  ): AsyncGenerator<string> {
    try {
      yield* this.authorities.watch(ctx, this.pagesFor(ctx.actor).each(chunks, options));
    } finally {
      release();
    }
  }

  private pagesFor(actor: Actor): ConcurrencyLimiter {
    return canAdministerPlatform(actor) ? this.pagesOfPlatform : this.pages;
  }
}
