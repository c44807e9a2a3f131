import { Injectable } from '@nestjs/common';
import { SealedColumn } from '../../crypto/sealed-column.js';
import { secretsOf } from './tasks.service.js';

@Injectable()
export class SealedTaskSecrets extends SealedColumn {
  readonly table = 'operator_tasks';
  readonly key = 'id';
  readonly column = 'sealed_secrets';

  rowOf(id: string): string {
    return secretsOf(id);
  }
}
