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

/** How a page behind a mailed link ends: with the app's brand, and a button that leads on. */
export interface Onward {
  readonly brand: Brand | undefined;
  readonly action: { readonly href: string; readonly label: Text } | null;
}

/** The sign-in on whose page a link was asked for; kept with the link. */
export interface AskedIn {
  readonly attemptId: string;
  /** Of the secret that the sign-in is bound to, in hexadecimal: in another browser the sign-in cannot continue. */
  readonly browserHash: string;
}

const TO_ACCOUNT = { href: '/account', label: message('sign-in.go_to_your_account') };

/** Leads from the last page of a mailed link back to the app that the link was asked for at. */
@Injectable()
export class OnwardLink {
  constructor(
    private readonly directory: AppDirectory,
    private readonly browser: BrowserBinding,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  /** @param link used up or not; null where it is unknown: the account page is all that is left then */
  async after(link: MailLink | null, request: Request): Promise<Onward> {
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

  /** A sign-in that this browser has begun continues, at any app. */
  private withoutApp(link: MailLink, request: Request): NonNullable<Onward['action']> {
    const attempt = this.attemptOf(link, request);
    return attempt ? { href: attempt, label: message('sign-in.back_to_sign_in') } : TO_ACCOUNT;
  }

  /** The sign-in in which the link was asked for, if it was in this browser: nothing of the app's request is lost. */
  private attemptOf({ request: asked }: MailLink, request: Request): string | null {
    const { attemptId, browserHash } = (asked ?? {}) as Partial<AskedIn>;
    const isThisBrowser = this.browser.readHashes(request).some((hash) => hash.toString('hex') === browserHash);
    return isThisBrowser && isUuid(attemptId) ? `/sign-in/${attemptId}` : null;
  }
}
