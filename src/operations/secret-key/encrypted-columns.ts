import { aadOfProviderState as providerState } from '../../auth/providers/state/provider-states.service.js';
import { aadOfTotpSecret as totpSecret } from '../../auth/credentials/second-factor/stored/second-factor.rules.js';
import { aadOfCarriedCode as carriedCode } from '../../invites/redemption/carried-code.js';
import { aadOfInviteCode as inviteCode } from '../../invites/creation/invite-maker.js';
import { aadOfMail as mail } from '../../mail/sending/mail.service.js';
import { aadOfPushToken as pushToken } from '../../push/devices/sealed-devices.js';
import { aadOfPushSetting as pushSetting } from '../../push/settings/push-secrets.js';
import { aadOfUserCode as userCode } from '../../tokens/grants/device/device-authorizations.service.js';
import { aadOfSigningKey as privateKey } from '../../tokens/keys/new-signing-keys.js';
import { documentOf as taskDocument, secretsOf as taskSecrets } from '../tasks/tasks.service.js';

/** A column in which a module stores values that are encrypted with `SECRET_KEY`. */
export interface EncryptedColumn {
  readonly table: string;
  /** The column that identifies the row: unique, not null. */
  readonly key: string;
  readonly column: string;
  /** For a jsonb column: the path of the encrypted text in it, in PostgreSQL's syntax. */
  readonly member?: string;
  /** SQL of the argument of {@link aadOf}; by default the key. */
  readonly reference?: string;
  /** SQL condition for the rows, if others contain something else. */
  readonly where?: string;
  /** The additional authenticated data of the value: the function with which its module encrypts and decrypts it. */
  readonly aadOf: (reference: string) => string;
}

/** Every encrypted column, for `secret-key rotate`. */
export const ENCRYPTED_COLUMNS: readonly EncryptedColumn[] = [
  { table: 'second_factors', key: 'user_id', column: 'sealed_secret', aadOf: totpSecret },
  { table: 'invites', key: 'id', column: 'code_sealed', aadOf: inviteCode },
  { table: 'push_devices', key: 'id', column: 'sealed_token', aadOf: pushToken },
  ...(
    [
      ['sealed_fcm_account', 'fcm_account'],
      ['sealed_webhook_secret', 'webhook_secret'],
      ['sealed_previous_webhook_secret', 'previous_webhook_secret'],
      ['sealed_vapid_private_key', 'vapid_private_key'],
    ] as const
  ).map(([column, setting]) => {
    return { table: 'push_settings', key: 'app_id', column, aadOf: (appId: string) => pushSetting(appId, setting) };
  }),
  // Includes retired keys, because tokens that they signed are still verified.
  { table: 'signing_keys', key: 'kid', column: 'sealed_private_key', aadOf: privateKey },
  // Rows exist for ten minutes. Without this, sign-ins that are at a provider during a rotation would fail.
  {
    table: 'provider_states',
    key: 'state_hash',
    column: 'sealed',
    reference: "encode(state_hash, 'hex')",
    aadOf: (stateHash) => providerState(Buffer.from(stateHash, 'hex')),
  },
  // Pending sign-ins with the code of an invite. Without this, users would be asked for the code again.
  { table: 'sign_in_attempts', key: 'id', column: 'request', member: '{sealedInvite}', aadOf: carriedCode.attempt },
  {
    table: 'mail_links',
    key: 'token_hash',
    column: 'request',
    member: '{sealedInvite}',
    reference: "encode(token_hash, 'hex')",
    aadOf: carriedCode.mailLink,
  },
  {
    table: 'pushed_requests',
    key: 'reference_hash',
    column: 'parameters',
    member: '{sealedInvite}',
    reference: "encode(reference_hash, 'hex')",
    aadOf: carriedCode.pushedRequest,
  },
  // Rows exist for 15 minutes. Without this, the page of a device that waits during a rotation would fail.
  { table: 'device_authorizations', key: 'id', column: 'user_code_sealed', aadOf: userCode },
  // Mails in the outbox, including dead letters. The payload of a sent mail is empty.
  {
    table: 'outbox_messages',
    key: 'id',
    column: 'payload',
    member: '{sealed}',
    reference: `payload ->> 'ref'`,
    where: `job = 'mail.send' AND done_at IS NULL`,
    aadOf: mail,
  },
  // Sign-in links that were just requested.
  {
    table: 'outbox_messages',
    key: 'id',
    column: 'payload',
    member: '{request,sealedInvite}',
    reference: `(payload ->> 'appId') || ':' || (payload ->> 'email')`,
    where: `job = 'auth.magic_link_requested' AND done_at IS NULL`,
    aadOf: carriedCode.linkRequest,
  },
  // Plans are left out: they are deleted within an hour and can be created again.
  {
    table: 'operator_tasks',
    key: 'id',
    column: 'sealed_document',
    where: `status IN ('queued', 'running')`,
    aadOf: taskDocument,
  },
  { table: 'operator_tasks', key: 'id', column: 'sealed_secrets', aadOf: taskSecrets },
];
