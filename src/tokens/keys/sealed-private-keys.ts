import { Injectable } from '@nestjs/common';
import { SealedColumn } from '../../crypto/sealed-column.js';
import { sealOfKey } from './signing-keys.js';

/** Private keys, the retired ones too: they vouch for what they have signed. */
@Injectable()
export class SealedPrivateKeys extends SealedColumn {
  readonly table = 'signing_keys';
  readonly key = 'kid';
  readonly column = 'sealed_private_key';

  rowOf(kid: string): string {
    return sealOfKey(kid);
  }
}
