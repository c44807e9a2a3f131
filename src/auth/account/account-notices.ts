/** What the account page says after a change. The address carries the key, so that a reload repeats words, not deeds. */
const NOTICES = {
  renamed: 'Your name is saved.',
  'link-sent': 'A link to confirm your address is on its way. Look into your mailbox; it holds for 24 hours.',
  'password-changed': 'Your password is changed. You were signed out everywhere else.',
  'password-set': 'Your password is set. You were signed out everywhere else.',
  'second-factor-on': 'The second factor is set up. You are asked for it at your next sign-in.',
  'second-factor-off': 'The second factor is removed.',
  'codes-made': 'Your new backup codes are active. The old codes no longer work.',
  linked: 'The account is linked. It signs you in from now on.',
  unlinked: 'The account is not linked any more.',
  'device-removed': 'Removed. No push message goes to it any more, unless you sign in there again.',
  'signed-out-there': 'Signed out there. An app that is open there may take some minutes to notice.',
  'signed-out-elsewhere': 'Signed out everywhere else. Apps that are open there may take some minutes to notice.',
} as const;

export type AccountNotice = keyof typeof NOTICES;

/** Null for what is none of ours. */
export function readNotice(key: unknown): string | null {
  return typeof key === 'string' && Object.hasOwn(NOTICES, key) ? NOTICES[key as AccountNotice] : null;
}
