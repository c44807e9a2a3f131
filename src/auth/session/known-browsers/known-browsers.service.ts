import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { RequestContext } from '../../../common/request-context.js';
import { RevokedWithUser, type RevocationReason } from '../../../users/revoked-with-user.js';
import { KnownBrowserCookie } from './known-browser-cookie.js';
import { type SignInOrigin, markWithoutCookie, placeOf } from './known-browser.rules.js';
import { KnownBrowsersRepository } from './known-browsers.repository.js';

/** `first`: the user has never signed in from anywhere, so nothing is new to them. */
export type Acquaintance = 'known' | 'first' | 'new';

/** Of new places. An attacker who knows the password must not be able to fill the user's mailbox. */
const MOST_NOTICES_PER_DAY = 5;

/** The browser that these come from is not the user's. */
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
   * Whether the browser behind this request has signed this user in before, by its cookie alone: device ids and
   * networks can be guessed. @returns the id of that acquaintance, or null
   */
  async recognise(ctx: RequestContext, userId: string): Promise<string | null> {
    return ctx.browserMark ? this.browsers.find(userId, ctx.browserMark) : null;
  }

  /** The same before it is known whose address it is, in one statement for known and unknown ones. */
  async recogniseAddress(ctx: RequestContext, emailCanonical: string): Promise<string | null> {
    return ctx.browserMark ? this.browsers.findByEmail(emailCanonical, ctx.browserMark) : null;
  }

  /** In the transaction of a sign-in that is complete. @param sessionToken of the session that begins with it */
  async remember(
    tx: EntityManager,
    ctx: RequestContext,
    userId: string,
    origin: SignInOrigin,
    sessionToken: string,
  ): Promise<Acquaintance> {
    const { hasAny, isKnown } = await this.browsers.remember(
      tx,
      userId,
      this.marksOf(ctx, origin, sessionToken),
      placeOf(ctx),
    );
    if (isKnown) return 'known';
    return hasAny ? 'new' : 'first';
  }

  /**
   * Whether the user is to be told of this new browser; it is marked then.
   * @param sessionToken as for {@link remember}
   */
  claimNotice(
    tx: EntityManager,
    ctx: RequestContext,
    userId: string,
    origin: SignInOrigin,
    sessionToken: string,
  ): Promise<boolean> {
    return this.browsers.claimNotice(tx, userId, this.marksOf(ctx, origin, sessionToken), MOST_NOTICES_PER_DAY);
  }

  /** Someone else may have signed in from the others: a sign-in there is reported again. */
  revoke(tx: EntityManager, ctx: RequestContext, userId: string, reason: RevocationReason): Promise<void> {
    return this.browsers.forget(tx, userId, BY_ADMIN.has(reason) ? null : (ctx.browserMark ?? null));
  }

  purge(): Promise<void> {
    return this.browsers.purge();
  }

  private marksOf(ctx: RequestContext, origin: SignInOrigin, sessionToken: string): Buffer[] {
    if (origin.by === 'page') return [ctx.browserMark ?? this.cookie.newMark(sessionToken)];
    const mark = markWithoutCookie(origin.deviceId, placeOf(ctx));
    return ctx.browserMark ? [ctx.browserMark, mark] : [mark];
  }
}
