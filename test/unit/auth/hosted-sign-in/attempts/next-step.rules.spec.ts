import { describe, expect, it } from '@jest/globals';
import { REGISTRATION_POLICIES } from '../../../../../src/apps/app/app-config.js';
import type { EntryVerdict } from '../../../../../src/auth/entry/entry.rules.js';
import {
  alternativesTo,
  type NextStep,
  nextStep,
  offeredSteps,
  type Progress,
} from '../../../../../src/auth/hosted-sign-in/attempts/next-step.rules.js';

const FRESH: Progress = {
  isIdentified: true,
  viaSso: false,
  credentialsAge: 1,
  isUnprompted: false,
  isUnproven: false,
  prompt: null,
  maxAge: null,
  entry: 'enter',
  acr: 'met',
  offersPasskey: false,
  consent: 'none',
  policy: 'invite',
  isConsoleApp: false,
  carriesInvite: false,
  deletionWaits: false,
  isForDevice: false,
  deviceWaits: false,
  confirm: null,
};

const DEVICE: Partial<Progress> = { isForDevice: true, deviceWaits: true };

const step = (differs: Partial<Progress>): NextStep => nextStep({ ...FRESH, ...differs });

/** Every input that matters, in all combinations. */
function* everyProgress(): Generator<Progress> {
  const entries: EntryVerdict[] = [
    'enter',
    'user_inactive',
    'app_closed',
    'suspended',
    'pending',
    'not_enrolled',
    'second_factor_due',
    'second_factor_required',
  ];
  for (const entry of [null, ...entries])
    for (const viaSso of [false, true])
      for (const prompt of [null, 'login', 'none'] as const)
        for (const maxAge of [null, 0, 60, 3600])
          for (const credentialsAge of [0, 59, 61, 299, 301, 3599, 3601])
            for (const policy of REGISTRATION_POLICIES)
              for (const isIdentified of [false, true])
                for (const isConsoleApp of [false, true])
                  for (const carriesInvite of [false, true])
                    yield {
                      confirm: null,
                      isIdentified,
                      viaSso,
                      credentialsAge,
                      isUnprompted: false,
                      isUnproven: false,
                      prompt,
                      maxAge,
                      entry,
                      acr: 'met',
                      offersPasskey: false,
                      consent: 'none',
                      policy,
                      isConsoleApp,
                      carriesInvite,
                      deletionWaits: false,
                      isForDevice: false,
                      deviceWaits: false,
                    };
}

describe('Next step of a hosted sign-in', () => {
  it.each<[string, Partial<Progress>, NextStep]>([
    ['nobody has said who they are', { isIdentified: false, entry: null, credentialsAge: null }, 'password'],
    ['the user may enter', { entry: 'enter' }, 'finish'],
    ['the user may enter by single sign-on', { entry: 'enter', viaSso: true, credentialsAge: 86_000 }, 'finish'],
    ['the user may enter and their account waits for its deletion', { deletionWaits: true }, 'keep_account'],
    ['the same without a page', { deletionWaits: true, prompt: 'none' }, 'finish'],
    ['the same, but suspended', { deletionWaits: true, entry: 'suspended' }, 'suspended'],
    ['a device waits for the sign-in', { deviceWaits: true }, 'approve_device'],
    ['a device waits, single sign-on', { deviceWaits: true, viaSso: true, credentialsAge: 86_000 }, 'approve_device'],
    ['a device waits, and a provider asked for nothing', { ...DEVICE, isUnprompted: true }, 'password'],
    ['a device waits, and the app takes nothing else', { ...DEVICE, isUnproven: true }, 'approve_device'],
    ['a device waits and the account is to be deleted', { deviceWaits: true, deletionWaits: true }, 'keep_account'],
    ['a device waits, and the user may not enter', { deviceWaits: true, entry: 'not_enrolled' }, 'invite'],
    ['the user is suspended', { entry: 'suspended' }, 'suspended'],
    ['a suspended user comes by single sign-on', { entry: 'suspended', viaSso: true }, 'password'],
    ['the account is switched off', { entry: 'user_inactive' }, 'password'],
    ['the app is open and the user not in it', { entry: 'not_enrolled', policy: 'open' }, 'join'],
    ['the app decides and the user is not in it', { entry: 'not_enrolled', policy: 'approval' }, 'request_access'],
    ['the app invites and the user is not in it', { entry: 'not_enrolled', policy: 'invite' }, 'invite'],
    [
      'a user brings an invite to an open app',
      { entry: 'not_enrolled', policy: 'open', carriesInvite: true },
      'invite',
    ],
    [
      'a user brings one to an app that decides',
      { entry: 'not_enrolled', policy: 'approval', carriesInvite: true },
      'invite',
    ],
    ['a user who waits brings one', { entry: 'pending', policy: 'approval', carriesInvite: true }, 'invite'],
    ['the app asks whether it is this account', { entry: 'enter', confirm: 'account', viaSso: true }, 'confirm'],
    ['it asks so, and credentials were just given', { entry: 'enter', confirm: 'account' }, 'finish'],
    ['the app asks for consent', { entry: 'enter', confirm: 'consent' }, 'confirm'],
    ['a member brings one', { entry: 'enter', carriesInvite: true }, 'invite'],
    [
      'a member brings one where no page may be shown',
      { entry: 'enter', carriesInvite: true, prompt: 'none' },
      'finish',
    ],
    ['it is the Console and the user administers nothing', { entry: 'not_enrolled', isConsoleApp: true }, 'no_access'],
    [
      'a user brings an invite to the Console',
      { entry: 'not_enrolled', isConsoleApp: true, carriesInvite: true },
      'invite',
    ],
    ['the request is waiting, open app or not', { entry: 'pending', policy: 'open' }, 'no_access'],
    ['the app was switched off', { entry: 'app_closed', policy: 'open' }, 'no_access'],
    ['a second factor is due', { entry: 'second_factor_due', policy: 'open' }, 'second_factor'],
    ['a second factor is due after single sign-on', { entry: 'second_factor_due', viaSso: true }, 'second_factor'],
    ['a second factor is missing', { entry: 'second_factor_required', policy: 'open' }, 'second_factor_setup'],
    ['one is missing, fresh session', { entry: 'second_factor_required', viaSso: true }, 'second_factor_setup'],
    ['one is missing, old session', { entry: 'second_factor_required', viaSso: true, credentialsAge: 301 }, 'password'],
    [
      'one is missing, time to install an app',
      { entry: 'second_factor_required', credentialsAge: 900 },
      'second_factor_setup',
    ],
    [
      'one is missing, and the page was left open',
      { entry: 'second_factor_required', credentialsAge: 901 },
      'password',
    ],
    ['the app wants one, and the page was left open', { acr: 'second_factor_setup', credentialsAge: 901 }, 'password'],
    [
      'one is missing, and a provider asked for nothing',
      { entry: 'second_factor_required', isUnproven: true },
      'password',
    ],
    [
      'the app wants one, and a provider asked for nothing',
      { acr: 'second_factor_setup', isUnproven: true },
      'password',
    ],
    ['one is due, and a provider asked for nothing', { entry: 'second_factor_due', isUnproven: true }, 'second_factor'],
    ['a provider asked for nothing, and nothing is set up', { isUnproven: true }, 'finish'],
    ['prompt=login and only a session', { prompt: 'login', viaSso: true }, 'password'],
    ['prompt=login and a password given here', { prompt: 'login', viaSso: false }, 'finish'],
    ['prompt=none and a session', { prompt: 'none', viaSso: true }, 'finish'],
    ['a session younger than max_age', { viaSso: true, maxAge: 60, credentialsAge: 59 }, 'finish'],
    ['a session as old as max_age', { viaSso: true, maxAge: 60, credentialsAge: 60 }, 'finish'],
    ['a session older than max_age', { viaSso: true, maxAge: 60, credentialsAge: 61 }, 'password'],
    ['a session and max_age=0', { viaSso: true, maxAge: 0, credentialsAge: 1 }, 'password'],
    ['a password given here and max_age=0', { maxAge: 0, credentialsAge: 30 }, 'finish'],
    ['a password given here too long ago for max_age=0', { maxAge: 0, credentialsAge: 301 }, 'password'],
    ['a provider asked for nothing, and the app for nothing either', { isUnprompted: true }, 'finish'],
    ['a provider asked for nothing, and the app for a login', { isUnprompted: true, prompt: 'login' }, 'password'],
    [
      'a provider asked for nothing, and the app for a recent sign-in',
      { isUnprompted: true, maxAge: 3600 },
      'password',
    ],
    [
      'a provider asked for nothing, and a second factor is due',
      { entry: 'second_factor_due', isUnprompted: true, isUnproven: true, prompt: 'login' },
      'second_factor',
    ],
    [
      'a provider asked for nothing, and the user is not in the app',
      { entry: 'not_enrolled', isUnprompted: true, isUnproven: true, prompt: 'login', policy: 'open' },
      'join',
    ],
    [
      'a provider asked for nothing, and the user administers nothing at the Console',
      { entry: 'not_enrolled', isUnprompted: true, prompt: 'login', isConsoleApp: true },
      'no_access',
    ],
    ['a password given here, older than max_age', { maxAge: 600, credentialsAge: 601 }, 'password'],
  ])('when %s', (_when, differs, expected) => expect(step(differs)).toBe(expected));

  it('issues something only to users who may enter', () => {
    const finished = [...everyProgress()].filter((progress) => nextStep(progress) === 'finish');
    expect(finished.length).toBeGreaterThan(0);
    expect(finished.filter(({ entry, isIdentified }) => entry !== 'enter' || !isIdentified)).toEqual([]);
  });

  it('never uses single sign-on if the app asked for the password', () => {
    const finished = [...everyProgress()].filter(({ viaSso, prompt }) => viaSso && prompt === 'login');
    expect(new Set(finished.map(nextStep))).toEqual(new Set(['password']));
  });

  it('never uses single sign-on with credentials older than max_age', () => {
    const old = [...everyProgress()].filter(
      ({ viaSso, maxAge, credentialsAge }) => viaSso && maxAge !== null && credentialsAge! > maxAge,
    );
    expect(new Set(old.map(nextStep))).toEqual(new Set(['password']));
  });

  it('discloses a suspension only after the password', () => {
    const told = [...everyProgress()].filter((progress) => nextStep(progress) === 'suspended');
    expect(told.length).toBeGreaterThan(0);
    expect(told.filter(({ viaSso, isIdentified }) => viaSso || !isIdentified)).toEqual([]);
  });

  // security 80
  it('enrolls into a Console app only with an invite', () => {
    const outside = [...everyProgress()].filter(
      ({ isConsoleApp, entry, carriesInvite }) => isConsoleApp && entry === 'not_enrolled' && !carriesInvite,
    );
    expect(new Set(outside.map(nextStep))).toEqual(new Set(['password', 'no_access']));
  });

  it('offers joining only for an open app', () => {
    const joining = [...everyProgress()].filter((progress) => nextStep(progress) === 'join');
    expect(new Set(joining.map(({ policy, entry }) => `${policy} ${entry}`))).toEqual(new Set(['open not_enrolled']));
    expect(joining.filter(({ isConsoleApp }) => isConsoleApp)).toEqual([]);
  });
});

describe('Sign-in page', () => {
  const app = { registrationPolicy: 'invite', isConsoleApp: false, providers: ['password', 'magic_link'] } as const;

  it.each([
    ['an app that invites', app, false, ['invited_sign_up', 'forgot', 'magic_link']],
    ['an open app', { ...app, registrationPolicy: 'open' as const }, false, ['sign_up', 'forgot', 'magic_link']],
    [
      'an open app to which a user brings an invite',
      { ...app, registrationPolicy: 'open' as const },
      true,
      ['sign_up', 'invited_sign_up', 'forgot', 'magic_link'],
    ],
    ['a Console', { ...app, isConsoleApp: true }, false, ['forgot', 'magic_link']],
    [
      'a Console to which a user brings one',
      { ...app, isConsoleApp: true },
      true,
      ['invited_sign_up', 'forgot', 'magic_link'],
    ],
    ['an app with links only', { ...app, providers: ['magic_link'] }, false, ['invited_sign_up', 'magic_link']],
    [
      'an open app with passkeys only',
      { ...app, registrationPolicy: 'open' as const, providers: ['passkey'] },
      false,
      ['sign_up', 'passkey'],
    ],
    [
      'an app that invites, with passkeys only',
      { ...app, providers: ['passkey'] },
      false,
      ['invited_sign_up', 'passkey'],
    ],
    ['an app where an account could never come back', { ...app, providers: [] }, true, []],
  ])('offers the right actions for %s', (_, facts, carriesInvite, offered) => {
    expect(offeredSteps(facts, carriesInvite)).toEqual(offered);
  });

  it('offers an invite if a signed-in user could join or request access', () => {
    expect((['join', 'request_access'] as const).map(alternativesTo)).toEqual([['invite'], ['invite']]);
    expect((['password', 'no_access', 'second_factor_setup', 'finish'] as const).flatMap(alternativesTo)).toEqual([]);
    expect(alternativesTo('second_factor')).toEqual(['passkey_recovery']);
  });
});
