import { Injectable } from '@nestjs/common';
import { SealedColumn } from '../../crypto/sealed-column.js';
import { sealOf } from './push-settings.service.js';

@Injectable()
export class SealedFcmAccounts extends SealedColumn {
  readonly table = 'push_settings';
  readonly key = 'app_id';
  readonly column = 'sealed_fcm_account';

  rowOf(appId: string): string {
    return sealOf(appId, 'fcm_account');
  }
}
