import { Injectable } from '@nestjs/common';
import { SealedColumn } from '../../crypto/sealed-column.js';
import { sealOf } from './push-devices.service.js';

@Injectable()
export class SealedPushTokens extends SealedColumn {
  readonly table = 'push_devices';
  readonly key = 'id';
  readonly column = 'sealed_token';

  rowOf(id: string): string {
    return sealOf(id);
  }
}
