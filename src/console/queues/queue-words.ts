import {
  type CounterKey,
  isBrowserKey,
  isOfUser,
  isViaApp,
  partsOf,
} from '../../rate-limits/counters/counter-keys.rules.js';
import type { QueueName } from '../../delivery/queues/queues.js';
import type { RateLimitLabel } from '../../rate-limits/counters/rate-limit.rules.js';

/** What each queue contains. */
export const QUEUE_WORDS: Readonly<Record<QueueName, string>> = {
  mail: 'E-mails and the links in them',
  notices: 'Low-priority e-mails: invites, approvals, scheduled changes',
  push: 'Notifications to devices, by app',
  webhooks: 'Webhooks, by app',
  logout: 'Logout notices to apps',
  tasks: 'Console tasks',
  logos: 'Logo copies',
};

/** Jobs in the words of operators. A job without an entry is shown by its name. */
export const JOB_WORDS: Readonly<Record<string, string>> = {
  'mail.send': 'Send an e-mail',
  'auth.magic_link_requested': 'Create and send a sign-in link',
  'auth.reset_requested': 'Create and send a reset link',
  'notice.limited': 'Send e-mails to admins',
  'task.run': 'Continue a console task',
  'push.due': 'Deliver an app’s notifications',
  'push.write_batch': 'Write an app’s accepted notifications',
  'webhook.due': 'Send an app’s webhooks',
  'webhook.notice': 'Send e-mails about a failing webhook',
  'tokens.logout_notice': 'Notify an app of a sign-out',
  'apps.copy_logo': 'Copy the logo of an app',
  'scheduled_change.settled': 'Report a scheduled change',
  'change.compare': 'Compare a change with its preview',
};

const LIMIT_WORDS: Readonly<Record<RateLimitLabel, string>> = {
  login_email: 'Sign-in, by user',
  login_ip: 'Sign-in, by network address',
  login_page_ip: 'Sign-in pages, by network address',
  pushed_requests: 'Pushed authorization requests, by app',
  oauth_start_ip: 'Redirects to providers, by network address',
  oauth_callback_ip: 'Callbacks from providers, by network address',
  vapid_ip: 'VAPID key requests, by network address',
  stop_link_ip: 'Pages that undo a change, by network address',
  passkey_ip: 'Passkey challenges, by network address',
  dpop_ip: 'DPoP proofs by network address',
  dpop_key: 'DPoP proofs with access tokens, by user and key',
  dpop_server_key: 'DPoP proofs with service tokens, by app and key',
  client_reads: 'Lookups of self-registered clients, by network address',
  client_documents: 'Client documents by network address',
  token_exchange: 'Exchanges of tokens, by app and network address',
  refresh_failures: 'Refused refreshes, by app and network address',
  client_registrations: 'Registrations of clients, by network address',
  registered_clients: 'New self-registered clients, by tenant and network address',
  device_requests: 'Device authorization requests, by app or network address',
  client_credentials: 'Service tokens, by app and network address',
  magic_link: 'Sign-in links, by user',
  forgot_password: 'Password resets, by user',
  forgot_password_ip: 'Password resets, by network address',
  reset_password: 'New passwords by mailed links, by user',
  reset_password_ip: 'New passwords by mailed links, by network address',
  mail_ip: 'Requested e-mails, by network address',
  send_verification: 'Verification e-mails, by user',
  email_change: 'Requests for another e-mail address, by user',
  email_change_address: 'Codes for another e-mail address, by address and user or network',
  account_deletion: 'Requests to delete own account, by user',
  passkey_recovery: 'Requests to continue without lost passkeys, by user',
  test_mail: 'Test e-mails of operators to themselves, by user',
  member_mail: 'Links, invites and approvals e-mailed by admins, by tenant and user',
  administrator_mail: 'E-mails about new admins and failing webhooks, by recipient, tenant and app',
  access_request_mail: 'E-mails about requests for access, by recipient, tenant and app',
  invite_mail: 'Invites by e-mail, by tenant and app',
  approval_mail: 'E-mails about approvals, by tenant and app',
  webhook_notice: 'E-mails about failing webhooks, by app and failure, or by tenant and app',
  continued_sign_ins: 'Sign-ins that continue a browser session, by user and app',
  own_account: 'Changes to own account and accepted invites, by user',
  account_export: 'Downloads of own data, by user',
  totp: 'Second-factor codes, by user',
  totp_failures: 'Wrong second-factor codes in a row, by user',
  totp_lock: 'Consecutive second-factor locks, by user',
  device_register: 'Push devices, by user',
  signup_ip: 'Sign-ups, by network address',
  code_failures: 'Wrong one-time codes, by app and network address',
  invite_failures: 'Wrong invites, by network address',
  device_code_failures: 'Wrong device codes, by user and network address',
  device_code_failures_all: 'Wrong device codes, all users together',
  admin: 'Admin API, by caller',
  audit_export: 'Exports of the audit log, by caller',
  user_list_export: 'Exports of lists of users, by caller',
  change_preview: 'Previews of changed settings, by caller',
  scheduled_change: 'Scheduled changes, by caller',
  scheduled_change_tenant: 'Scheduled changes, by tenant and app',
  app_changes: 'Changes of apps, by tenant and app',
  membership_changes: 'Changes of members and invites, by tenant and app',
  scheduled_change_mail: 'E-mails to admins about scheduled changes, by recipient, tenant and app',
  denials: 'Recorded refusals, by caller, account and network address',
  token_reuses: 'Recorded reuses of refresh tokens, by user and app',
  refused_clients: 'Recorded refusals of clients, by app',
};

/** What a counter counts. A user's counter can be specific to a network address, a known browser, or an app. */
export function limitWords({ label, key }: CounterKey): string {
  const [, source] = partsOf(key);
  if (isViaApp(key)) return `${LIMIT_WORDS[label]} and app`;
  if (!isOfUser(label) || source === undefined) return LIMIT_WORDS[label];
  return `${LIMIT_WORDS[label]} and ${isBrowserKey(source) ? 'browser' : 'network address'}`;
}
