import { describe, expect, it } from '@jest/globals';
import {
  AccountSuspendedForApp,
  InvalidLink,
  NoAccess,
  SignInMethodNotAllowed,
} from '../../../../src/auth/entry/auth.errors.js';
import { InvalidOauthToken } from '../../../../src/auth/providers/pending/provider.errors.js';
import { SignInExpired } from '../../../../src/auth/hosted-sign-in/authorization-request/sign-in.errors.js';
import { failureOf } from '../../../../src/common/errors/failure.js';
import { wordsFor } from '../../../../src/common/errors/error.filter.js';
import { REFUSAL_MESSAGES } from '../../../../src/common/errors/refusal-messages.js';
import {
  InsufficientPermissions,
  MissingRequiredScope,
  NotAuthenticated,
} from '../../../../src/common/http/http.refusals.js';
import { ReauthenticationRequired } from '../../../../src/common/http/recent-sign-in.js';
import { Messages } from '../../../../src/common/i18n/messages.js';
import type { Refusal } from '../../../../src/common/refusal.js';
import { UserAlreadyExists } from '../../../../src/users/users.errors.js';

const messages = new Messages();
const LISTED = [
  new SignInExpired(),
  new NoAccess(),
  new AccountSuspendedForApp(),
  new SignInMethodNotAllowed(),
  new InvalidLink(),
  new InvalidOauthToken(),
  new NotAuthenticated(),
  new InsufficientPermissions(),
];

describe('Error messages on pages', () => {
  it('are listed by the codes of existing error classes', () => {
    expect(LISTED.map(({ code }) => code).sort()).toEqual([...REFUSAL_MESSAGES.keys()].sort());
  });

  const leadOf = (refusal: Refusal) => messages.text('en', wordsFor(failureOf(refusal)).message);

  it('tell users what happened and what to do next, instead of the text of the API', () => {
    expect(leadOf(new SignInExpired())).toBe('This sign-in page has expired. Go back to the app and start again.');
    expect(leadOf(new NoAccess())).toBe(
      'Your account has no access here. Contact the administrator of the app, or sign in with another account.',
    );
    expect(leadOf(new AccountSuspendedForApp())).toBe(
      'Your account is suspended in this app. Contact its administrator.',
    );
    expect(leadOf(new SignInMethodNotAllowed())).toBe(
      'This app doesn’t accept the method that you signed in with. Go back to the app and sign in another way.',
    );
    expect(leadOf(new InvalidLink())).toBe(
      'This link is not valid. It may have expired or have been used already. Request a new link.',
    );
    expect(leadOf(new InvalidOauthToken())).toBe(
      'This sign-in is no longer valid. Go back to the app and start again.',
    );
    expect(leadOf(new NotAuthenticated())).toBe(
      'You are not signed in, or your sign-in has ended. Go back to the app and sign in again.',
    );
    expect(leadOf(new InsufficientPermissions())).toBe(
      'You don’t have permission to do this. Contact your administrator.',
    );
  });

  it('also name a next step if the refusal has no message for users, or no text at all', () => {
    expect(leadOf(new MissingRequiredScope(null))).toBe(
      'Missing required scope. If you think this is a mistake, contact your administrator.',
    );
    expect(leadOf(new ReauthenticationRequired(900))).toBe(
      'You don’t have permission to open this page. Contact your administrator.',
    );
  });

  it.each(LISTED.map((refusal) => [refusal.code, refusal] as const))(
    'are in the language of the page: %s',
    (_code, refusal) => {
      const { heading, message: lead } = wordsFor(failureOf(refusal));
      for (const text of [heading, lead]) expect(messages.text('en-XA', text)).toMatch(/^[^A-Za-z]+$/);
    },
  );

  it('that are not listed keep the sentence of the API', () => {
    const { message: lead } = wordsFor(failureOf(new UserAlreadyExists()));
    expect(messages.text('en-XA', lead)).toBe('User already exists');
  });
});
