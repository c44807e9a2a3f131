import type { EntityManager } from 'typeorm';
import type { RequestContext } from '../common/request-context.js';

/** Why all sessions and tokens of a user end, and everything that ends with them. */
export type RevocationReason =
  | 'mailbox_proof'
  | 'password_reset'
  | 'password_set_by_admin'
  | 'second_factor_reset'
  | 'signed_out_everywhere'
  | 'email_change_stopped'
  | 'credential_stopped';

/**
 * Something that ends together with all sessions and tokens of a user. The module that owns the table extends this
 * class and provides it; it is found by its type, so that no operation can forget it.
 */
export abstract class RevokedWithUser {
  /** Called in the transaction that ends the sessions and tokens. */
  abstract revoke(tx: EntityManager, ctx: RequestContext, userId: string, reason: RevocationReason): Promise<void>;
}
