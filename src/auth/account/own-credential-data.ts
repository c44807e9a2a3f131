import { Injectable } from '@nestjs/common';
import { Passkeys } from '../credentials/passkeys/passkeys.service.js';
import { LinkedAccountsService } from '../providers/linked/linked-accounts.service.js';

/** What a user signs in with beside the password, for the file of their own data. */
@Injectable()
export class OwnCredentialData {
  constructor(
    private readonly passkeys: Passkeys,
    private readonly linked: LinkedAccountsService,
  ) {}

  async read(userId: string): Promise<{ linked_accounts: object[]; passkeys: object[] }> {
    const [linked, passkeys] = [await this.linked.listOf(userId), await this.passkeys.listOf(userId)];
    return {
      linked_accounts: linked.map(({ provider, subject, email, linkedAt }) => ({
        provider,
        subject,
        email,
        linked_at: linkedAt,
      })),
      passkeys: passkeys.map(({ credentialId, aaguid, isSynced, name, createdAt, lastUsedAt }) => ({
        credential_id: credentialId.toString('base64url'),
        aaguid,
        synced: isSynced,
        name,
        created_at: createdAt,
        last_used_at: lastUsedAt,
      })),
    };
  }
}
