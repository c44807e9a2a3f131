import type { EntityManager } from 'typeorm';
import type { RequestContext } from '../common/request-context.js';

/** Why everything of a user ends. */
export type RevocationReason =
  | 'mailbox_proof'
  | 'password_reset'
  | 'password_set_by_admin'
  | 'second_factor_reset'
  | 'signed_out_everywhere'
  | 'email_change_stopped'
  | 'credential_stopped';

/**
 * What ends together with everything a user has open, beside sessions and tokens. The module that owns the table
 * extends this and provides it; it is found by its type, so that no way of ending everything can forget it.
 */
export abstract class RevokedWithUser {
  /** In the transaction that ends the rest. */
  abstract revoke(tx: EntityManager, ctx: RequestContext, userId: string, reason: RevocationReason): Promise<void>;
}
