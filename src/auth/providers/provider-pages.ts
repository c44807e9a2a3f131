import { Inject, Injectable } from '@nestjs/common';
import type { Response } from 'express';
import { PROVIDER_LABELS } from '../../config/provider-settings.js';
import { SETTINGS, type Settings } from '../../config/settings.js';
import { backUri, failureAnswer, type FailureReason } from '../hosted-sign-in/authorization-answer.rules.js';
import { SignInPages } from '../hosted-sign-in/sign-in-pages.js';
import { SignInService } from '../hosted-sign-in/sign-in.service.js';
import type { ProviderAttempt, ProviderFailure } from './prepared-request.js';
import type { RefusedIdentity } from './provider-sign-in.service.js';

/** The answers when a provider leads to no sign-in. */
@Injectable()
export class ProviderPages {
  constructor(
    private readonly pages: SignInPages,
    private readonly signIns: SignInService,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  /** There is no identity: back to where the sign-in was started, where there are other methods. */
  async fail(
    response: Response,
    { state, secret, provider, fromPage }: ProviderAttempt,
    why: ProviderFailure,
  ): Promise<void> {
    const { attempt, client } = state;
    const { status, message, reason } = FAILURES[why];
    if (!fromPage || attempt.request.prompt === 'none')
      return this.pages.answer(response, failureAnswer(attempt.request, reason, this.settings.baseUrl), client, false);
    const errors = [{ field: null, message: message(PROVIDER_LABELS[provider]) }];
    await this.pages.showStep(response, secret, this.signIns.firstStep(client), state, { status, form: {}, errors });
  }

  /** There is an identity, and it is not enough. The user can do something about it, so the answer is a page. */
  async refuse(response: Response, { state, secret, provider }: ProviderAttempt, why: RefusedIdentity): Promise<void> {
    const { attempt, client } = state;
    const { heading, message, reason } = REFUSALS[why];
    const backUrl = backUri(attempt, reason, this.settings.baseUrl);
    if (attempt.request.prompt === 'none')
      return this.pages.answer(response, failureAnswer(attempt.request, reason, this.settings.baseUrl), client, false);
    const names = { provider: PROVIDER_LABELS[provider], app: client.app.name, tenant: client.tenant.name };
    const page = {
      view: 'sign-in/provider-refused',
      title: heading(names),
      model: {
        heading: heading(names),
        message: message(names),
        signInUrl: `/sign-in/${attempt.id}`,
        // The console and the account page have nothing to show to a user who is not signed in.
        backUrl: client.app.isConsoleApp || attempt.request.purpose === 'account' ? null : backUrl,
        backLabel: `Back to ${client.app.name}`,
      },
    };
    await this.pages.showPage(response, secret, page, state, { status: 403, action: '' });
  }
}

const FAILURES: Readonly<
  Record<ProviderFailure, { status: number; reason: FailureReason; message: (provider: string) => string }>
> = {
  cancelled: {
    status: 400,
    reason: 'access_denied',
    message: (provider) => `You were not signed in with ${provider}. Try again, or choose another way.`,
  },
  not_signed_in: {
    status: 400,
    reason: 'login_required',
    message: (provider) => `${provider} wants you to sign in there first. Try again, or choose another way.`,
  },
  unavailable: {
    status: 503,
    reason: 'provider_error',
    message: (provider) =>
      `Signing in with ${provider} does not work just now. Try again later, or choose another way.`,
  },
  not_allowed: {
    status: 403,
    reason: 'access_denied',
    message: (provider) => `This app does not take ${provider} accounts. Choose another way.`,
  },
};

interface Names {
  readonly provider: string;
  readonly app: string;
  readonly tenant: string;
}

const REFUSALS: Readonly<
  Record<
    RefusedIdentity,
    { reason: FailureReason; heading: (names: Names) => string; message: (names: Names) => string }
  >
> = {
  account_not_linked: {
    reason: 'access_denied',
    heading: () => 'You have an account already',
    message: ({ provider }) =>
      `There is already an account with this address. Sign in first, then link ${provider} to it on your account page.`,
  },
  registration_closed: {
    reason: 'registration_closed',
    heading: () => 'You need an invitation',
    message: ({ provider, app, tenant }) =>
      `You need an invitation from ${tenant} to use ${app}, and your ${provider} account has none. Ask for an invitation.`,
  },
  no_account: {
    reason: 'access_denied',
    heading: () => 'There is no account yet',
    message: ({ provider }) =>
      `Your ${provider} account opens no account here. Sign in another way, or begin at the app that you want to use.`,
  },
  no_email: {
    reason: 'access_denied',
    heading: ({ provider }) => `${provider} didn’t share your e-mail address`,
    message: ({ provider, app }) =>
      `A new account needs one. Allow ${app} to see it when ${provider} asks, or choose another way to sign in.`,
  },
  unusable_email: {
    reason: 'provider_error',
    heading: ({ provider }) => `The e-mail address of your ${provider} account cannot be used here`,
    message: ({ provider }) =>
      `It contains characters that are invisible or only look like letters. Change it at ${provider}, or choose another way to sign in.`,
  },
  user_inactive: {
    reason: 'access_denied',
    heading: () => 'This account is switched off',
    message: ({ tenant }) => `It cannot be used to sign in. Ask ${tenant} if you think that is a mistake.`,
  },
  credentials_changed: {
    reason: 'login_required',
    heading: () => 'Sign in again',
    message: () => 'Your account has changed since you began to sign in.',
  },
};
