import { Injectable } from '@nestjs/common';
import { Passkeys } from '../../credentials/passkeys/management/passkeys.service.js';
import { Consents } from '../../../tokens/grants/consent/consents.service.js';
import { LinkedAccountsService } from '../../providers/linked/linked-accounts.service.js';

/** A user's credentials other than the password, and their consents, for the export of their own data. */
@Injectable()
export class OwnCredentialData {
  constructor(
    private readonly passkeys: Passkeys,
    private readonly linked: LinkedAccountsService,
    private readonly consents: Consents,
  ) {}

  async read(userId: string): Promise<{ linked_accounts: object[]; passkeys: object[]; consents: object[] }> {
    const [linked, passkeys] = [await this.linked.listOf(userId), await this.passkeys.listOf(userId)];
    const consents = await this.consents.list(userId);
    return {
      consents: consents.map(({ appId, resource, scopes, asked, grantedAt }) => ({
        app_id: appId,
        resource: resource || null,
        scopes,
        asked,
        granted_at: grantedAt,
      })),
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
