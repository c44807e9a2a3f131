import { Injectable } from '@nestjs/common';
import { ImpactCount } from '../../../users/impact-count.js';
import { LinkedAccountsRepository } from './linked-accounts.repository.js';

@Injectable()
export class LinkedAccountCount extends ImpactCount {
  readonly name = 'linked_accounts';

  constructor(private readonly accounts: LinkedAccountsRepository) {
    super();
  }

  async count(userId: string): Promise<number> {
    return (await this.accounts.listOf(userId)).length;
  }
}
