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
import { InsufficientPermissions, NotAuthenticated } from '../../../../src/common/http/http.refusals.js';
import { Messages } from '../../../../src/common/i18n/messages.js';
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

  it.each(LISTED.map((refusal) => [refusal.code, refusal] as const))(
    'are in English the same as in the API: %s',
    (code, refusal) => {
      expect(messages.text('en', REFUSAL_MESSAGES.get(code)!)).toBe(refusal.detail);
    },
  );

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
