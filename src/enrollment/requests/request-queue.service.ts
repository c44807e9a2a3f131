import { Injectable } from '@nestjs/common';
import type { RequestContext } from '../../common/request-context.js';
import { userScope } from '../users/visible-users.service.js';
import type { RequestKey, RequestCursor } from './request-cursor.js';
import { type RequestPage, RequestQueueRepository, type WaitingRequest } from './request-queue.repository.js';

/** Counting stops here; pages show `99+`. */
export const MAX_COUNTED_REQUESTS = 100;

/** The requests for access that a caller can decide: those to apps that they administer. */
@Injectable()
export class RequestQueue {
  constructor(private readonly requests: RequestQueueRepository) {}

  /**
   * Longest wait first.
   * @param appId only requests to this app; empty if the caller does not administer it
   * @param search as typed: only requests of matching users, see `matchesSearch`
   */
  list(
    ctx: RequestContext,
    { after, limit, ...filter }: { appId?: string; search?: string; after: RequestCursor | null; limit: number },
  ): Promise<RequestPage> {
    return this.requests.page({ scope: userScope(ctx.actor), ...filter }, after, limit);
  }

  /** Those of the given requests that are pending and that the caller can decide, longest wait first. */
  async among(ctx: RequestContext, picks: readonly RequestKey[]): Promise<readonly WaitingRequest[]> {
    return (await this.requests.page({ scope: userScope(ctx.actor), picks }, null, picks.length)).requests;
  }

  /** Counted up to {@link MAX_COUNTED_REQUESTS}. */
  count(ctx: RequestContext, appId?: string): Promise<number> {
    return this.requests.count({ scope: userScope(ctx.actor), appId }, MAX_COUNTED_REQUESTS);
  }
}
