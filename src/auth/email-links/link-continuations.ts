import { Inject, Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { AppDirectory } from '../../apps/directory/app-directory.js';
import { appBrand } from '../../apps/directory/app-brand.js';
import { appLink } from '../../apps/directory/app-link.js';
import { message, type Text } from '../../common/i18n/message.js';
import type { Brand } from '../../common/pages/brand/brand.js';
import { isUuid } from '../../common/validation/fields.js';
import { SETTINGS, type Settings } from '../../config/settings.js';
import { BrowserBinding } from '../session/browser-binding.js';
import type { MailLink } from './mail-link.entity.js';

/** What the last page behind a mailed link shows: the app's brand, and the button that continues, if there is one. */
export interface LinkContinuation {
  readonly brand: Brand | undefined;
  readonly action: { readonly href: string; readonly label: Text } | null;
}

/** The hosted sign-in on whose page the link was requested; stored with the link. */
export interface RequestingAttempt {
  readonly attemptId: string;
  /**
   * Hash of the secret that binds the sign-in to a browser, in hexadecimal. The sign-in cannot continue in another
   * browser.
   */
  readonly browserHash: string;
}

const TO_ACCOUNT = { href: '/account', label: message('sign-in.go_to_your_account') };

/** Finds where the last page of a mailed link continues: to the app at which the link was requested. */
@Injectable()
export class LinkContinuations {
  constructor(
    private readonly directory: AppDirectory,
    private readonly browser: BrowserBinding,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  /** @param link used or not; null: it is unknown, and the page continues to the account page */
  async after(link: MailLink | null, request: Request): Promise<LinkContinuation> {
    const client = link?.appId ? await this.directory.findOpenOfAnyOrigin(link.appId) : null;
    if (link?.appId === null) return { brand: undefined, action: this.withoutApp(link, request) };
    if (!link || !client) return { brand: undefined, action: TO_ACCOUNT };
    const names = { app: client.app.name };
    const [signIn, goTo] = [message('sign-in.password.title', names), message('sign-in.go_to_app', names)];
    const attempt = this.attemptOf(link, request);
    if (attempt) return { brand: appBrand(client), action: { href: attempt, label: signIn } };
    const target = appLink(client, this.settings.baseUrl, link.emailCanonical);
    const action = target && { href: target.href, label: target.beginsSignIn ? signIn : goTo };
    return { brand: appBrand(client), action };
  }

  /**
   * For a link that names no app: the sign-in in which it was requested, at any app, if this browser began it;
   * otherwise the account page.
   */
  private withoutApp(link: MailLink, request: Request): NonNullable<LinkContinuation['action']> {
    const attempt = this.attemptOf(link, request);
    return attempt ? { href: attempt, label: message('sign-in.back_to_sign_in') } : TO_ACCOUNT;
  }

  /**
   * Path of the sign-in in which the link was requested, if this browser began it. So the app's request is not lost.
   */
  private attemptOf({ request: asked }: MailLink, request: Request): string | null {
    const { attemptId, browserHash } = (asked ?? {}) as Partial<RequestingAttempt>;
    const isThisBrowser = this.browser.readHashes(request).some((hash) => hash.toString('hex') === browserHash);
    return isThisBrowser && isUuid(attemptId) ? `/sign-in/${attemptId}` : null;
  }
}
