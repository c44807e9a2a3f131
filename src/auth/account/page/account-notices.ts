import { type Message, message } from '../../../common/i18n/message.js';

/**
 * Messages of the account page after a change. The URL contains the key, so that a reload repeats the message and not
 * the change.
 */
const NOTICES = {
  renamed: message('account.done.renamed'),
  'account-kept': message('account.done.account_kept'),
  'email-changed': message('account.done.email_changed'),
  'email-not-changed': message('account.done.email_not_changed'),
  'link-sent': message('account.done.link_sent'),
  'password-changed': message('account.done.password_changed'),
  'password-set': message('account.done.password_set'),
  'second-factor-on': message('account.done.second_factor_on'),
  'second-factor-off': message('account.done.second_factor_off'),
  'codes-made': message('account.done.codes_made'),
  'passkey-added': message('account.done.passkey_added'),
  'passkey-renamed': message('account.done.passkey_renamed'),
  'passkeys-kept': message('account.done.passkeys_kept'),
  'passkey-removed': message('account.done.passkey_removed'),
  'access-taken-back': message('account.done.access_taken_back'),
  left: message('account.done.left'),
  linked: message('account.done.linked'),
  unlinked: message('account.done.unlinked'),
  'device-removed': message('account.done.device_removed'),
  'signed-out-there': message('account.done.signed_out_there'),
  'signed-out-elsewhere': message('account.done.signed_out_elsewhere'),
} as const;

export type AccountNotice = keyof typeof NOTICES;

/** Null for an unknown key. */
export function readNotice(key: unknown): Message | null {
  return typeof key === 'string' && Object.hasOwn(NOTICES, key) ? NOTICES[key as AccountNotice] : null;
}
