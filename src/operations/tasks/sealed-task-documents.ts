import { Injectable } from '@nestjs/common';
import { SealedColumn } from '../../crypto/sealed-column.js';
import { documentOf } from './tasks.service.js';

/** Documents of tasks under way. Plans are left out: they are gone within the hour, and can be made again. */
@Injectable()
export class SealedTaskDocuments extends SealedColumn {
  readonly table = 'operator_tasks';
  readonly key = 'id';
  readonly column = 'sealed_document';
  override readonly where = `status IN ('queued', 'running')`;

  rowOf(id: string): string {
    return documentOf(id);
  }
}
