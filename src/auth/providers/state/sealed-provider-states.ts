import { Injectable } from '@nestjs/common';
import { SealedColumn } from '../../../crypto/sealed-column.js';
import { sealOf } from './provider-states.service.js';

/** Trips to external providers that are under way: ten minutes, but nobody should have to begin again. */
@Injectable()
export class SealedProviderStates extends SealedColumn {
  readonly table = 'provider_states';
  readonly key = 'state_hash';
  readonly column = 'sealed';
  override readonly reference = `encode(state_hash, 'hex')`;

  rowOf(stateHash: string): string {
    return sealOf(Buffer.from(stateHash, 'hex'));
  }
}
