import { Injectable } from '@nestjs/common';
import { SealedColumn } from '../crypto/sealed-column.js';
import { sealOf } from './invite-maker.js';

/** Codes of invites, which administrators may look at again. */
@Injectable()
export class SealedInviteCodes extends SealedColumn {
  readonly table = 'invites';
  readonly key = 'id';
  readonly column = 'code_sealed';

  rowOf(id: string): string {
    return sealOf(id);
  }
}
