import { Injectable } from '@nestjs/common';
import type { RequestContext } from '../../common/request-context.js';
import { clientAddressKey } from '../../rate-limits/client-address.js';
import { RateLimitsService } from '../../rate-limits/rate-limits.service.js';
import { DpopFault } from './dpop-fault.js';
import { DpopProofRefused } from './dpop.errors.js';
import { type DpopKey, DpopProofs } from './dpop-proofs.service.js';

/** Uses up the proofs in requests of clients. */
@Injectable()
export class ClientKeyUses {
  constructor(
    private readonly proofs: DpopProofs,
    private readonly limits: RateLimitsService,
  ) {}

  /**
   * @param isProven whether the client has authenticated. A caller can name any client, and each proof is a row, so
   * uses without authentication count by network address
   * @throws DpopProofRefused if it was used before, RateLimited
   */
  async spend({ ip }: RequestContext, key: DpopKey, { isProven }: { readonly isProven: boolean }): Promise<void> {
    if (!isProven) await this.limits.consume('dpop_ip', clientAddressKey(ip));
    try {
      await this.proofs.spend(key);
    } catch (error) {
      throw error instanceof DpopFault ? new DpopProofRefused(error) : error;
    }
  }
}
