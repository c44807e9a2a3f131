import { type Message, message } from '../i18n/message.js';

/**
 * Messages for refusals that users can see on a page, by code. The texts of the API are part of its contract and stay
 * in the classes; a refusal without an entry is shown with that text.
 */
export const REFUSAL_MESSAGES: ReadonlyMap<string, Message> = new Map([
  ['sign_in_expired', message('errors.refusal.sign_in_expired')],
  ['no_access', message('errors.refusal.no_access')],
  ['account_suspended_for_app', message('errors.refusal.account_suspended_for_app')],
  ['sign_in_method_not_allowed', message('errors.refusal.sign_in_method_not_allowed')],
  ['invalid_link', message('errors.refusal.invalid_link')],
  ['invalid_oauth_token', message('errors.refusal.invalid_oauth_token')],
  ['not_authenticated', message('errors.refusal.not_authenticated')],
  ['insufficient_permissions', message('errors.refusal.insufficient_permissions')],
]);
