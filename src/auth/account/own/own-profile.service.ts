import { Injectable } from '@nestjs/common';
import { AuditService } from '../../../audit/audit.service.js';
import { ProofTransactions } from '../../../users/proof-transactions.js';
import { UsersService } from '../../../users/users.service.js';
import { OwnLanguage } from './own-language.js';
import type { AccountHolder } from '../../access/account-holder.service.js';

export interface OwnProfile {
  readonly displayName: string;
  /** A language tag, or empty for the language of the browser; absent if the form has no such field. */
  readonly language: string | undefined;
}

/** What users may change about themselves, apart from how they sign in. */
@Injectable()
export class OwnProfileService {
  constructor(
    private readonly users: UsersService,
    private readonly proofs: ProofTransactions,
    private readonly audit: AuditService,
    private readonly languages: OwnLanguage,
  ) {}

  /** Audited with the names of the changed fields; does nothing if there are none. @throws ProofOutdated */
  async update({ ctx, user, proof }: AccountHolder, { displayName, language }: OwnProfile): Promise<void> {
    const locale = language === undefined ? user.locale : this.languages.read(language, user.locale);
    const fields = [
      ...(displayName === user.displayName ? [] : ['display_name']),
      ...(locale === user.locale ? [] : ['locale']),
    ];
    if (fields.length === 0) return;
    await this.proofs.run(proof, async (tx) => {
      await this.users.updateProfile(tx, user, { displayName, locale });
      await this.audit.record(tx, ctx, 'user.updated', {
        userId: user.id,
        target: { type: 'user', id: user.id },
        metadata: { by: 'owner', fields },
      });
    });
  }
}
