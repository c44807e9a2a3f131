import { Injectable } from '@nestjs/common';
import { SealedColumn } from '../../crypto/sealed-column.js';
import { sealOf } from './second-factor.rules.js';

/** Secrets of second factors, those of a set-up under way too. */
@Injectable()
export class SealedTotpSecrets extends SealedColumn {
  readonly table = 'second_factors';
  readonly key = 'user_id';
  readonly column = 'sealed_secret';

  rowOf(userId: string): string {
    return sealOf(userId);
  }
}
