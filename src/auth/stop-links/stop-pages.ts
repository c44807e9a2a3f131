import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import type { Message } from '../../common/i18n/message.js';
import { message } from '../../common/i18n/message.js';
import { PageRenderer } from '../../common/pages/page-renderer.js';
import { InvalidLink } from '../entry/auth.errors.js';
import { BrowserBinding } from '../session/browser-binding.js';
import type { ListedCredential } from '../listed-credentials/listed-credentials.js';

/** What differs between the pages of the different kinds of notices. */
export interface StopPage {
  /** Purpose of the form token. */
  readonly purpose: string;
  readonly view: string;
  readonly title: Message;
  /** Says why a link may no longer be valid. */
  readonly spent: Message;
}

/** The page after the form was sent. */
export interface StopResultPage {
  readonly heading: Message;
  readonly lead: Message;
  readonly status?: number;
  /** The credentials that still open the account. */
  readonly kept?: readonly ListedCredential[];
}

/**
 * The pages behind the links that undo a change ("Secure my account"): one that says what its form does, and one with
 * the result. They need no sign-in. Opening a page changes nothing, because mail scanners follow links.
 */
@Injectable()
export class StopPages {
  constructor(
    private readonly browser: BrowserBinding,
    private readonly pages: PageRenderer,
  ) {}

  /** @param find returns the values for the view; null if the link is used or expired */
  async show(
    { query, request, response }: { query: unknown; request: Request; response: Response },
    { purpose, view, title, spent }: StopPage,
    find: (token: string) => Promise<object | null>,
  ): Promise<void> {
    const token = textOf(query);
    const facts = await find(token);
    if (!facts) return this.showSpent(response, spent);
    const formToken = this.browser.formToken(this.browser.ensure(request, response), purpose);
    await this.pages.send(response, { view, title, model: { ...facts, token, formToken } });
  }

  /**
   * @param stop does what the form promises. If it throws InvalidLink, the page says that the link is used or expired
   */
  async stop(
    { body, request, response }: { body: Record<string, unknown>; request: Request; response: Response },
    { purpose, spent }: StopPage,
    stop: (token: string) => Promise<StopResultPage>,
  ): Promise<void> {
    this.browser.checkForm(request, purpose);
    try {
      await this.showEnd(response, await stop(textOf(body['token'])));
    } catch (error) {
      if (error instanceof InvalidLink) return this.showSpent(response, spent);
      throw error;
    }
  }

  private showSpent(response: Response, spent: Message): Promise<void> {
    return this.showEnd(response, { heading: message('sign-in.link_spent'), lead: spent, status: 400 });
  }

  private showEnd(response: Response, { heading, lead, status = 200, kept = [] }: StopResultPage): Promise<void> {
    const action = { href: '/account', label: message('sign-in.go_to_your_account') };
    const model = { heading, message: lead, action, kept };
    return this.pages.send(response, { view: 'sign-in/stopped', title: heading, status, model });
  }
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
