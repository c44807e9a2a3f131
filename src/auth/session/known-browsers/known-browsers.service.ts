import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { RequestContext } from '../../../common/request-context.js';
import { RevokedWithUser, type RevocationReason } from '../../../users/revoked-with-user.js';
import { KnownBrowserCookie } from './known-browser-cookie.js';
import { type BrowserOrigin, markWithoutCookie, deviceLocationOf } from './known-browser.rules.js';
import { KnownBrowsersRepository } from './known-browsers.repository.js';

/** `first`: no browser of the user is recorded, and none was ever forgotten, so this one is not reported as new. */
export type BrowserRecognition = 'known' | 'first' | 'new';

/** Mails about new browsers. The limit keeps an attacker who knows the password from filling the user's mailbox. */
const MAX_NOTICES_PER_DAY = 5;

/** Reasons for which the request comes from an administrator, so its browser is not the user's. */
const BY_ADMIN: ReadonlySet<RevocationReason> = new Set(['password_set_by_admin', 'second_factor_reset']);

/** Browsers and devices that a user has signed in from before. */
@Injectable()
export class KnownBrowsers extends RevokedWithUser {
  constructor(
    private readonly browsers: KnownBrowsersRepository,
    private readonly cookie: KnownBrowserCookie,
  ) {
    super();
  }

  /**
   * Recognizes a browser that has signed in the user with this address before, only by its cookie, because device ids
   * and networks can be guessed. One statement, whether or not an account exists.
   * @returns id of the known browser, or null
   */
  async recognizeAddress(ctx: RequestContext, emailCanonical: string): Promise<string | null> {
    return ctx.browserMark ? this.browsers.findByEmail(emailCanonical, ctx.browserMark) : null;
  }

  /** Called in the transaction of a completed sign-in. */
  async remember(
    tx: EntityManager,
    ctx: RequestContext,
    userId: string,
    origin: BrowserOrigin,
  ): Promise<BrowserRecognition> {
    const { hasAny, isKnown } = await this.browsers.remember(
      tx,
      userId,
      this.marksOf(ctx, origin),
      deviceLocationOf(ctx),
    );
    if (isKnown) return 'known';
    return hasAny ? 'new' : 'first';
  }

  /** Whether the user must be mailed about this new browser. If so, it is marked as mailed. */
  claimNotice(tx: EntityManager, ctx: RequestContext, userId: string, origin: BrowserOrigin): Promise<boolean> {
    return this.browsers.claimNotice(tx, userId, this.marksOf(ctx, origin), MAX_NOTICES_PER_DAY);
  }

  /** Deletes the other browsers, from which someone else may have signed in: a new sign-in there is reported again. */
  revoke(tx: EntityManager, ctx: RequestContext, userId: string, reason: RevocationReason): Promise<void> {
    return this.browsers.forget(tx, userId, BY_ADMIN.has(reason) ? null : (ctx.browserMark ?? null));
  }

  purge(): Promise<void> {
    return this.browsers.purge();
  }

  private marksOf(ctx: RequestContext, origin: BrowserOrigin): Buffer[] {
    if (origin.by === 'page') return [ctx.browserMark ?? this.cookie.newMark(origin.sessionToken)];
    const mark = markWithoutCookie(origin, deviceLocationOf(ctx));
    return origin.by === 'api' && ctx.browserMark ? [ctx.browserMark, mark] : [mark];
  }
}
