import { Injectable } from '@nestjs/common';
import { SealedColumn } from '../../crypto/sealed-column.js';
import { sealOf } from './push-settings.service.js';

@Injectable()
export class SealedVapidKeys extends SealedColumn {
  readonly table = 'push_settings';
  readonly key = 'app_id';
  readonly column = 'sealed_vapid_private_key';

  rowOf(appId: string): string {
    return sealOf(appId, 'vapid_private_key');
  }
}
