import type { EntityManager } from 'typeorm';
import type { RequestContext } from '../common/request-context.js';

/** An identity at an external provider that opens an account, as documents carry it. */
export interface TransferredLink {
  readonly provider: string;
  readonly provider_user_id: string;
  /** As the provider said it. */
  readonly email: string | null;
}

/** Where linked accounts come from and go to. */
export abstract class TransferredLinks {
  /** By user id; users without any may be absent. */
  abstract listOf(userIds: readonly string[]): Promise<ReadonlyMap<string, readonly TransferredLink[]>>;

  /** Links accounts that the same transaction has made. An identity that opens another account stays with that one. */
  abstract add(
    tx: EntityManager,
    ctx: RequestContext,
    links: readonly (TransferredLink & { readonly userId: string })[],
  ): Promise<void>;
}
