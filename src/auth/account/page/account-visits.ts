import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { answerPrefetch } from '../../../common/http/browser/prefetch.js';
import { redirectTo } from '../../../common/http/redirect-to.js';
import type { RequestContext } from '../../../common/request-context.js';
import { ownAccountKey } from '../../../rate-limits/counters/counter-keys.rules.js';
import { RateLimitsService } from '../../../rate-limits/rate-limits.service.js';
import { type AccountHolder, AccountHolders } from '../../access/account-holder.service.js';
import { type AccountSection, accountSignInPath } from '../../hosted-sign-in/authorization-request/account-sections.js';
import { BrowserBinding } from '../../session/browser-binding.js';
import type { AccountNotice } from './account-notices.js';

export type Fields = Readonly<Record<string, string>>;

/** A user on their own account pages. */
export interface Visit {
  readonly holder: AccountHolder;
  readonly formToken: string;
}

export interface Submission extends Visit {
  readonly fields: Fields;
}

/**
 * Access to the account pages: identifies the user by the SSO cookie, checks the token of forms, and requires a recent
 * sign-in for some actions.
 */
@Injectable()
export class AccountVisits {
  constructor(
    private readonly holders: AccountHolders,
    private readonly browser: BrowserBinding,
    private readonly limits: RateLimitsService,
  ) {}

  /**
   * @param section where the sign-in leads; null: to the account page
   * @returns null if there is no session; the response then redirects to the sign-in
   */
  async enter(
    ctx: RequestContext,
    request: Request,
    response: Response,
    section: AccountSection | null = null,
  ): Promise<Visit | null> {
    const holder = await this.holders.bySession(ctx, request);
    if (!holder) {
      redirectTo(response, accountSignInPath({ section }));
      return null;
    }
    const secret = this.browser.ensure(request, response);
    return { holder, formToken: this.browser.formToken(secret, purposeOf(holder)) };
  }

  /**
   * For an action that changes sign-in methods (ASVS 7.5.1).
   * @param section where the new sign-in leads; null: to the account page
   * @returns null also if the last sign-in is older than five minutes, and for HEAD requests and prefetches
   */
  async enterFresh(
    ctx: RequestContext,
    request: Request,
    response: Response,
    section: AccountSection | null,
  ): Promise<Visit | null> {
    if (answerPrefetch(request, response)) return null;
    const visit = await this.enter(ctx, request, response, section);
    return visit && this.orSignInAgain(visit, response, section);
  }

  /**
   * For a form that this browser got for this user: a form that another user left open has no effect.
   * @returns null if there is no session
   * @throws CrossSiteRequest, RateLimited, because each change adds a permanent audit entry
   */
  async submit(ctx: RequestContext, request: Request, response: Response): Promise<Submission | null> {
    const visit = await this.enter(ctx, request, response);
    if (!visit) return null;
    this.browser.checkForm(request, purposeOf(visit.holder));
    await this.limits.consume('own_account', ownAccountKey(visit.holder.user.id, visit.holder.ctx.actor.viaApp));
    const entries = Object.entries((request.body ?? {}) as Record<string, unknown>);
    const texts = entries.filter((entry): entry is [string, string] => typeof entry[1] === 'string');
    return { ...visit, fields: Object.fromEntries(texts) };
  }

  /** As {@link submit}, for an action as in {@link enterFresh}. */
  async submitFresh(
    ctx: RequestContext,
    request: Request,
    response: Response,
    section: AccountSection | null,
  ): Promise<Submission | null> {
    const submission = await this.submit(ctx, request, response);
    return submission && this.orSignInAgain(submission, response, section);
  }

  isFresh({ holder }: Visit): boolean {
    return this.holders.isFresh(holder);
  }

  /** 303 See Other. @param path of an account page */
  leaveTo(response: Response, path: string): void {
    redirectTo(response, path);
  }

  /** Redirects to the account page after a change, with the message to show. */
  leaveWith(response: Response, notice: AccountNotice | null): void {
    redirectTo(response, `/account${notice ? `?done=${notice}` : ''}`);
  }

  /** @returns null if the last sign-in is older than five minutes; the response then redirects to a new one */
  orSignInAgain<V extends Visit>(visit: V, response: Response, section: AccountSection | null): V | null {
    if (this.holders.isFresh(visit.holder)) return visit;
    redirectTo(response, accountSignInPath({ fresh: true, section }));
    return null;
  }
}

function purposeOf({ user }: AccountHolder): string {
  return `account:${user.id}`;
}
