import { Injectable } from '@nestjs/common';
import { UserTrace } from '../../../users/user-trace.js';
import { LinkedAccountsService } from './linked-accounts.service.js';

@Injectable()
export class LinkedAccountTrace extends UserTrace {
  readonly name = 'linked_accounts';

  constructor(private readonly accounts: LinkedAccountsService) {
    super();
  }

  async count(userId: string): Promise<number> {
    return (await this.accounts.listOf(userId)).length;
  }
}
