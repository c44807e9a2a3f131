import { Injectable } from '@nestjs/common';
import type { Response } from 'express';
import { message, type Text } from '../../../common/i18n/message.js';
import { PageRenderer } from '../../../common/pages/page-renderer.js';
import type { FormError } from '../../../common/pages/form-error.js';
import { OwnLanguage } from '../own/own-language.js';
import { AccountCards } from '../cards/account-cards.service.js';
import type { Fields, Visit } from './account-visits.js';

/** A form that is shown again. */
export interface RejectedForm {
  readonly status: number;
  readonly errors: readonly FormError[];
  /** As typed; passwords are never sent back. */
  readonly fields: Fields;
}

/** The account page: rows that open forms, and cards, with a message about the last action or its error. */
@Injectable()
export class AccountPages {
  constructor(
    private readonly cards: AccountCards,
    private readonly pages: PageRenderer,
    private readonly languages: OwnLanguage,
  ) {}

  async show(response: Response, visit: Visit, notice: Text | null, again: RejectedForm | null = null): Promise<void> {
    const { user } = visit.holder;
    await this.pages.send(response, {
      view: 'account/overview',
      layout: 'account',
      title: message('account.heading'),
      status: again?.status ?? 200,
      userLocale: user.locale,
      model: {
        ...frameOf(visit),
        notice,
        errors: again?.errors ?? [],
        displayName: user.displayName,
        language: this.languages.chosen(user.locale),
        email: user.email,
        emailVerified: user.emailVerified,
        hasPassword: user.passwordHash !== null,
        ...(await this.cards.read(visit.holder)),
      },
    });
  }

  /** The page after signing out. */
  async showSignedOut(response: Response): Promise<void> {
    const heading = message('account.signed_out');
    const model = { heading, message: message('account.signed_out_lead') };
    await this.pages.send(response, { view: 'account/signed-out', title: heading, model });
  }

  /** A separate page for one action, in the layout of the sign-in pages by default. */
  async showAct(
    response: Response,
    visit: Visit,
    page: { view: string; layout?: 'account'; title: Text; model: Readonly<Record<string, unknown>>; status?: number },
  ): Promise<void> {
    const { view, layout, title, model, status } = page;
    const userLocale = visit.holder.user.locale;
    await this.pages.send(response, {
      view,
      layout,
      title,
      status,
      userLocale,
      model: { ...frameOf(visit), ...model },
    });
  }
}

function frameOf({ holder, formToken }: Visit) {
  return { signedInAs: holder.user.email, formToken };
}
