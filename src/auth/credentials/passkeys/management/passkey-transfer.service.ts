import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { AuditService } from '../../../../audit/audit.service.js';
import { Randomness } from '../../../../common/randomness.js';
import type { RequestContext } from '../../../../common/request-context.js';
import type { Passkey } from '../stored/passkey.entity.js';
import { PasskeysRepository } from '../stored/passkeys.repository.js';
import { RelyingParty } from '../ceremonies/relying-party.js';

/** Rows per statement, with eleven values each. */
const BATCH = 1000;

/** What the authenticators of one user need to be recognized. */
export interface TransferredCredentials {
  readonly handle: Buffer;
  readonly passkeys: readonly Omit<Passkey, 'id' | 'userId' | 'createdAt' | 'lastUsedAt'>[];
}

/** Transfers passkeys with their owners to another installation. They work there only if it has the same host. */
@Injectable()
export class PasskeyTransfer {
  constructor(
    private readonly passkeys: PasskeysRepository,
    private readonly party: RelyingParty,
    private readonly randomness: Randomness,
    private readonly audit: AuditService,
  ) {}

  /** Whether a passkey of this host can be used here. */
  isOfThisHost(rpId: string): boolean {
    return rpId === this.party.id;
  }

  /** By user; only those who have any. */
  async listOfAll(userIds: readonly string[]): Promise<Map<string, TransferredCredentials>> {
    const handles = await this.passkeys.handlesOf(userIds);
    const byUser = new Map<string, Passkey[]>();
    for (const passkey of await this.passkeys.listOfAll([...handles.keys()]))
      byUser.set(passkey.userId, [...(byUser.get(passkey.userId) ?? []), passkey]);
    return new Map([...byUser].map(([userId, passkeys]) => [userId, { handle: handles.get(userId)!, passkeys }]));
  }

  /**
   * Adds passkeys of this host for accounts that the same transaction has created from an imported document. A passkey
   * or user handle that belongs to another account is left out. No mail is sent, because there was no account before.
   * @returns how many were added
   */
  async addImported(
    tx: EntityManager,
    ctx: RequestContext,
    users: ReadonlyMap<string, TransferredCredentials>,
  ): Promise<number> {
    const usable = [...users].filter(([, { passkeys }]) => passkeys.some(({ rpId }) => this.isOfThisHost(rpId)));
    const known = await this.passkeys.addHandles(tx, new Map(usable.map(([userId, { handle }]) => [userId, handle])));
    const rows = usable
      .filter(([userId]) => known.has(userId))
      .flatMap(([userId, { passkeys }]) => passkeys.map((each) => ({ ...each, id: this.randomness.uuid(), userId })))
      .filter(({ rpId }) => this.isOfThisHost(rpId));
    let count = 0;
    for (let start = 0; start < rows.length; start += BATCH) {
      const batch = rows.slice(start, start + BATCH);
      const inserted = await this.passkeys.insertMissing(tx, batch);
      const added = batch.filter(({ id }) => inserted.has(id));
      const subjects = added.map(({ id, userId, aaguid, isSynced }) => ({
        userId,
        target: { type: 'passkey' as const, id },
        metadata: { aaguid, synced: isSynced, by: 'import' },
      }));
      await this.audit.recordAll(tx, ctx, 'passkey.added', subjects);
      count += added.length;
    }
    return count;
  }
}
