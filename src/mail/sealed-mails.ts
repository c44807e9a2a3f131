import { Injectable } from '@nestjs/common';
import { SealedColumn } from '../crypto/sealed-column.js';
import { sealOf } from './mail.service.js';

/** Mails that wait in the outbox, dead letters included; what has been sent is emptied. */
@Injectable()
export class SealedMails extends SealedColumn {
  readonly table = 'outbox_messages';
  readonly key = 'id';
  readonly column = 'payload';
  override readonly member = 'sealed';
  override readonly reference = `payload ->> 'ref'`;
  override readonly where = `job = 'mail.send' AND done_at IS NULL`;

  rowOf(ref: string): string {
    return sealOf(ref);
  }
}
