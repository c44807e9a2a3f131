import { Inject, Injectable } from '@nestjs/common';
import type { Response } from 'express';
import { message, type Text } from '../../../common/i18n/message.js';
import { PROVIDER_LABELS } from '../../../config/provider-settings.js';
import { SETTINGS, type Settings } from '../../../config/settings.js';
import {
  backUri,
  errorResponse,
  type FailureReason,
} from '../../hosted-sign-in/authorization-request/authorization-response.rules.js';
import { SignInPages } from '../../hosted-sign-in/pages/sign-in-pages.js';
import { SignInService } from '../../hosted-sign-in/completion/sign-in.service.js';
import { ACCOUNT_PAGE } from './link-pages.js';
import type { ProviderAttempt, ProviderFailure } from './prepared-request.js';
import type { RefusedIdentity } from '../identities/provider-sign-in.service.js';

/** The responses if a sign-in at a provider fails or is refused. */
@Injectable()
export class ProviderPages {
  constructor(
    private readonly pages: SignInPages,
    private readonly signIns: SignInService,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  /** There is no identity: leads back to where the sign-in was started, which offers other methods. */
  async fail(
    response: Response,
    { state, secret, provider, fromPage }: ProviderAttempt,
    why: ProviderFailure,
  ): Promise<void> {
    const { attempt, client } = state;
    const { status, message: said, reason } = FAILURES[why];
    if (!fromPage || attempt.request.prompt === 'none')
      return this.pages.answer(response, errorResponse(attempt.request, reason, this.settings.baseUrl), client, {
        isByUser: false,
      });
    const errors = [{ field: null, message: said(PROVIDER_LABELS[provider]) }];
    await this.pages.showStep(response, secret, this.signIns.firstStep(client), state, { status, form: {}, errors });
  }

  /**
   * There is an identity, but it does not sign the user in. Shows a page, because the user can do something about it.
   */
  async refuse(response: Response, { state, secret, provider }: ProviderAttempt, why: RefusedIdentity): Promise<void> {
    const { attempt, client } = state;
    const { heading, lead, reason } = REFUSALS[why];
    const backUrl = backUri(attempt, reason, this.settings.baseUrl);
    if (attempt.request.prompt === 'none')
      return this.pages.answer(response, errorResponse(attempt.request, reason, this.settings.baseUrl), client, {
        isByUser: false,
      });
    const names = { provider: PROVIDER_LABELS[provider], app: client.app.name, tenant: client.tenant.name };
    const page = {
      view: 'sign-in/provider-refused',
      title: heading(names),
      model: {
        heading: heading(names),
        message: lead(names),
        signInUrl: `/sign-in/${attempt.id}`,
        // The Console and the account page have no page for users who are not signed in.
        backUrl: client.app.isConsoleApp || attempt.request.purpose === 'account' ? null : backUrl,
        backLabel: message('common.back_to_app', { app: client.app.name }),
        accountUrl: why === 'account_not_linked' ? ACCOUNT_PAGE : null,
      },
    };
    await this.pages.showPage(response, secret, page, state, { status: 403, action: '' });
  }
}

const FAILURES: Readonly<
  Record<ProviderFailure, { status: number; reason: FailureReason; message: (provider: string) => Text }>
> = {
  cancelled: {
    status: 400,
    reason: 'access_denied',
    message: (provider) => message('sign-in.provider.cancelled', { provider }),
  },
  not_signed_in: {
    status: 400,
    reason: 'login_required',
    message: (provider) => message('sign-in.provider.not_signed_in', { provider }),
  },
  unavailable: {
    status: 503,
    reason: 'provider_error',
    message: (provider) => message('sign-in.provider.unavailable', { provider }),
  },
  not_allowed: {
    status: 403,
    reason: 'access_denied',
    message: (provider) => message('sign-in.provider.not_allowed', { provider }),
  },
};

type Names = { readonly provider: string; readonly app: string; readonly tenant: string };

interface RefusedPage {
  readonly reason: FailureReason;
  readonly heading: (names: Names) => Text;
  readonly lead: (names: Names) => Text;
}

const REFUSALS: Readonly<Record<RefusedIdentity, RefusedPage>> = {
  account_not_linked: {
    reason: 'access_denied',
    heading: () => message('sign-in.provider.account_not_linked'),
    lead: (names) => message('sign-in.provider.account_not_linked_lead', names),
  },
  registration_closed: {
    reason: 'registration_closed',
    heading: () => message('sign-in.invite.needed'),
    lead: (names) => message('sign-in.provider.registration_closed_lead', names),
  },
  no_account: {
    reason: 'access_denied',
    heading: () => message('sign-in.provider.no_account'),
    lead: (names) => message('sign-in.provider.no_account_lead', names),
  },
  no_email: {
    reason: 'access_denied',
    heading: (names) => message('sign-in.provider.no_email', names),
    lead: (names) => message('sign-in.provider.no_email_lead', names),
  },
  unusable_email: {
    reason: 'provider_error',
    heading: (names) => message('sign-in.provider.unusable_email', names),
    lead: (names) => message('sign-in.provider.unusable_email_lead', names),
  },
  user_inactive: {
    reason: 'access_denied',
    heading: () => message('sign-in.provider.user_inactive'),
    lead: (names) => message('sign-in.provider.user_inactive_lead', names),
  },
  credentials_changed: {
    reason: 'login_required',
    heading: () => message('sign-in.provider.credentials_changed'),
    lead: () => message('sign-in.provider.credentials_changed_lead'),
  },
};
