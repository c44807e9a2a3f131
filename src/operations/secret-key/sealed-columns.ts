import { sealOf as providerState } from '../../auth/providers/state/provider-states.service.js';
import { sealOf as totpSecret } from '../../auth/second-factor/second-factor.rules.js';
import { sealOf as inviteCode } from '../../invites/invite-maker.js';
import { sealOf as mail } from '../../mail/mail.service.js';
import { sealOf as pushToken } from '../../push/devices/push-devices.service.js';
import { sealOf as pushSetting } from '../../push/settings/push-settings.service.js';
import { sealOfKey as privateKey } from '../../tokens/keys/signing-keys.js';
import { documentOf as taskDocument, secretsOf as taskSecrets } from '../tasks/tasks.service.js';

/** Where a module keeps values that are sealed with `SECRET_KEY`. */
export interface SealedColumn {
  readonly table: string;
  /** The column that identifies the row: unique, not null. */
  readonly key: string;
  readonly column: string;
  /** Where the column is jsonb: the member at its top that holds the sealed text. */
  readonly member?: string;
  /** SQL of what {@link rowOf} is given; by default the key. */
  readonly reference?: string;
  /** SQL that picks the rows, where others hold something else. */
  readonly where?: string;
  /** The additional data under which the value was sealed: the function that its module seals and opens with. */
  readonly rowOf: (reference: string) => string;
}

/** Every sealed column, for `secret-key rotate`. */
export const SEALED_COLUMNS: readonly SealedColumn[] = [
  { table: 'second_factors', key: 'user_id', column: 'sealed_secret', rowOf: totpSecret },
  { table: 'invites', key: 'id', column: 'code_sealed', rowOf: inviteCode },
  { table: 'push_devices', key: 'id', column: 'sealed_token', rowOf: pushToken },
  ...(
    [
      ['sealed_fcm_account', 'fcm_account'],
      ['sealed_webhook_secret', 'webhook_secret'],
      ['sealed_previous_webhook_secret', 'previous_webhook_secret'],
      ['sealed_vapid_private_key', 'vapid_private_key'],
    ] as const
  ).map(([column, setting]) => {
    return { table: 'push_settings', key: 'app_id', column, rowOf: (appId: string) => pushSetting(appId, setting) };
  }),
  // Retired keys too: tokens that they have signed are still verified.
  { table: 'signing_keys', key: 'kid', column: 'sealed_private_key', rowOf: privateKey },
  // Rows live ten minutes; without this, sign-ins that are at a provider during a rotation would fail.
  {
    table: 'provider_states',
    key: 'state_hash',
    column: 'sealed',
    reference: "encode(state_hash, 'hex')",
    rowOf: (stateHash) => providerState(Buffer.from(stateHash, 'hex')),
  },
  // Mails that wait in the outbox, dead letters included; a mail that was sent is emptied.
  {
    table: 'outbox_messages',
    key: 'id',
    column: 'payload',
    member: 'sealed',
    reference: `payload ->> 'ref'`,
    where: `job = 'mail.send' AND done_at IS NULL`,
    rowOf: mail,
  },
  // Plans are left out: they are deleted within the hour and can be made again.
  {
    table: 'operator_tasks',
    key: 'id',
    column: 'sealed_document',
    where: `status IN ('queued', 'running')`,
    rowOf: taskDocument,
  },
  { table: 'operator_tasks', key: 'id', column: 'sealed_secrets', rowOf: taskSecrets },
];
