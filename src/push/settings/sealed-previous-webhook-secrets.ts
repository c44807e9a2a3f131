import { Injectable } from '@nestjs/common';
import { SealedColumn } from '../../crypto/sealed-column.js';
import { sealOf } from './push-settings.service.js';

@Injectable()
export class SealedPreviousWebhookSecrets extends SealedColumn {
  readonly table = 'push_settings';
  readonly key = 'app_id';
  readonly column = 'sealed_previous_webhook_secret';

  rowOf(appId: string): string {
    return sealOf(appId, 'previous_webhook_secret');
  }
}
