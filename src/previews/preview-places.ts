import { Injectable } from '@nestjs/common';
import { canAdministerPlatform } from '../common/actor.js';
import { ServiceUnavailable } from '../common/http/http.refusals.js';
import type { RequestContext } from '../common/request-context.js';
import { Turns } from '../common/turns.js';
import { callerKey } from '../rate-limits/counter-keys.rules.js';
import { RateLimited } from '../rate-limits/rate-limited.js';
import { RateLimitsService } from '../rate-limits/rate-limits.service.js';

/** Previews of a process at a time, of all callers together: each judges up to thousands of members, and sign-ins come first. */
const MOST_AT_ONCE = 3;
/** Of one tenant, so that it never takes all places from the others. */
const MOST_OF_TENANT = 2;
/** For platform admins, whatever tenants do. */
const MOST_WITH_PLATFORM = MOST_AT_ONCE + 1;
/** Files on their way to readers: they only wait for each other. */
const MOST_FILES_OF_TENANT = 3;
const FILES_JUDGED_AT_ONCE = 2;
const RETRY_SECONDS = 2;

/**
 * What the process judges for previews now. A place is for judging, which takes a second: who reads a file slowly has none meanwhile, and each
 * batch of a file waits for its turn.
 */
@Injectable()
export class PreviewPlaces {
  /** Callers for whom a preview is judged, with the tenant; null: of the platform. */
  private readonly judged = new Map<string, string | null>();
  /** Callers who read a file, likewise. */
  private readonly readers = new Map<string, string | null>();
  private readonly turns = new Turns(FILES_JUDGED_AT_ONCE);

  constructor(private readonly limits: RateLimitsService) {}

  /** @param tenantId that the preview is about; null: more than one @throws RateLimited, ServiceUnavailable */
  async run<T>(ctx: RequestContext, tenantId: string | null, work: () => Promise<T>): Promise<T> {
    const leave = await this.take(ctx, tenantId);
    try {
      return await work();
    } finally {
      leave();
    }
  }

  /** @returns to be called when the preview ends @throws RateLimited, ServiceUnavailable */
  async take({ actor }: RequestContext, tenantId: string | null): Promise<() => void> {
    const caller = callerKey(actor) ?? SYSTEM;
    if (caller !== SYSTEM) await this.limits.consume('change_preview', caller);
    if (this.judged.has(caller)) throw new RateLimited('Your last preview is still in progress', RETRY_SECONDS);
    const ofPlatform = canAdministerPlatform(actor);
    const most = ofPlatform ? MOST_WITH_PLATFORM : MOST_AT_ONCE;
    const isCrowded = !ofPlatform && countOf(this.judged, tenantId) >= MOST_OF_TENANT;
    if (this.judged.size >= most || isCrowded)
      throw new ServiceUnavailable('Too many previews are in progress', RETRY_SECONDS);
    this.judged.set(caller, ofPlatform ? null : tenantId);
    return () => this.judged.delete(caller);
  }

  /** @returns to be called when the reader has all of the file, or has gone @throws RateLimited, ServiceUnavailable */
  takeFile({ actor }: RequestContext, tenantId: string | null): () => void {
    const caller = callerKey(actor) ?? SYSTEM;
    if (this.readers.has(caller)) throw new RateLimited('Your last file is still in progress', RETRY_SECONDS);
    const ofPlatform = canAdministerPlatform(actor);
    if (!ofPlatform && countOf(this.readers, tenantId) >= MOST_FILES_OF_TENANT)
      throw new ServiceUnavailable('Too many files are in progress', RETRY_SECONDS);
    this.readers.set(caller, ofPlatform ? null : tenantId);
    return () => this.readers.delete(caller);
  }

  /** Each piece of a file in its turn. */
  inTurns<T>(pieces: AsyncGenerator<T>): AsyncGenerator<T> {
    return this.turns.each(pieces);
  }
}

const SYSTEM = 'system';

function countOf(places: ReadonlyMap<string, string | null>, tenantId: string | null): number {
  return [...places.values()].filter((each) => each === tenantId).length;
}
