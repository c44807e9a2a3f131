import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { AuditService } from '../../../audit/audit.service.js';
import { PasskeyTransfer } from '../../../auth/credentials/passkeys/management/passkey-transfer.service.js';
import { LinkedAccountsService } from '../../../auth/providers/linked/linked-accounts.service.js';
import { canAdministerPlatform } from '../../../common/actor.js';
import type { RequestContext } from '../../../common/request-context.js';
import { VisibleUsers } from '../../../enrollment/users/visible-users.service.js';
import { UsersService } from '../../../users/users.service.js';
import { passkeysFrom } from '../../formats/transferred-passkeys.js';
import { type AccountOutcome, judgeAccount } from '../document/account.rules.js';
import type { DocumentAccount } from '../document/import-document.js';

type Accounts = ReadonlyMap<string, DocumentAccount>;
type Entry = readonly [emailCanonical: string, account: DocumentAccount];

/** An address in the document, and the account to enroll, if there is one. */
export interface ImportedAccount {
  readonly outcome: AccountOutcome;
  readonly userId: string | null;
}

export interface ImportedAccounts {
  /** By canonical address. */
  readonly users: ReadonlyMap<string, ImportedAccount>;
  /** Number of passkeys that were added. */
  readonly passkeys: number;
}

const BATCH = 1000;

/** Accounts of a document: creates missing ones, and never changes existing ones. */
@Injectable()
export class ImportAccounts {
  constructor(
    private readonly users: UsersService,
    private readonly visibleUsers: VisibleUsers,
    private readonly linked: LinkedAccountsService,
    private readonly passkeys: PasskeyTransfer,
    private readonly audit: AuditService,
  ) {}

  /** The outcome for each address, by canonical address. */
  async preview(ctx: RequestContext, accounts: Accounts): Promise<Map<string, AccountOutcome>> {
    const outcomes = new Map<string, AccountOutcome>();
    for (const batch of batchesOf(accounts)) {
      const existing = await this.judgeExisting(ctx, batch);
      for (const [key] of batch) outcomes.set(key, existing.get(key)?.outcome ?? 'create');
    }
    return outcomes;
  }

  /**
   * Creates the missing accounts in the transaction of the import, in the order of their addresses, so that two imports
   * of the same users wait for each other instead of causing a deadlock.
   */
  async apply(
    tx: EntityManager,
    ctx: RequestContext,
    accounts: Accounts,
    tenantId: string,
    progress: (done: number) => Promise<void>,
  ): Promise<ImportedAccounts> {
    const users = new Map<string, ImportedAccount>();
    let passkeys = 0;
    for (const batch of batchesOf(accounts)) {
      const existing = await this.judgeExisting(ctx, batch, tx);
      const missing = batch.filter(([key]) => !existing.has(key));
      const { made, passkeyCount } = await this.make(tx, ctx, missing, tenantId);
      passkeys += passkeyCount;
      // Another user has taken the address in the meantime: treated like any existing account.
      const overtaken = missing.filter(([key]) => !made.has(key));
      const late = overtaken.length > 0 ? await this.judgeExisting(ctx, overtaken, tx) : [];
      for (const [key, userId] of made) users.set(key, { outcome: 'create', userId });
      for (const [key, user] of [...existing, ...late]) users.set(key, user);
      await progress(users.size);
    }
    return { users, passkeys };
  }

  private async judgeExisting(
    ctx: RequestContext,
    batch: readonly Entry[],
    tx?: EntityManager,
  ): Promise<Map<string, ImportedAccount>> {
    const keys = batch.map(([key]) => key);
    const found = await this.users.findByEmails(keys, tx);
    const ids = [...found.values()].map((user) => user.id);
    const visible = ids.length > 0 ? await this.visibleUsers.visibleAmong(ctx, ids, tx) : new Set<string>();
    const importer = { isPlatform: canAdministerPlatform(ctx.actor) };
    return new Map(
      [...found].map(([key, user]) => {
        const outcome = judgeAccount({ emailVerified: user.emailVerified, isVisible: visible.has(user.id) }, importer);
        return [key, { outcome, userId: outcome === 'enroll' ? user.id : null }] as const;
      }),
    );
  }

  /**
   * Only a platform admin can import an address as verified, a password, a passkey or an identity. @returns ids by
   * canonical address
   */
  private async make(
    tx: EntityManager,
    ctx: RequestContext,
    batch: readonly Entry[],
    tenantId: string,
  ): Promise<{ made: Map<string, string>; passkeyCount: number }> {
    if (batch.length === 0) return { made: new Map(), passkeyCount: 0 };
    const isPlatform = canAdministerPlatform(ctx.actor);
    const made = await this.users.createMissing(
      tx,
      batch.map(([, { email, displayName, emailVerified, passwordHash }]) => ({
        email,
        displayName,
        emailVerified: isPlatform && emailVerified,
        passwordHash: isPlatform ? passwordHash : null,
      })),
    );
    const links = batch.flatMap(([key, account]) => {
      const userId = made.get(key);
      if (!userId || !isPlatform) return [];
      return account.links.map(({ provider, provider_user_id, email }) => ({
        userId,
        provider,
        subject: provider_user_id,
        email,
      }));
    });
    await this.linked.addImported(tx, ctx, links);
    const passkeys = batch.flatMap(([key, { passkeys: held }]) =>
      held && isPlatform && made.has(key) ? [[made.get(key)!, passkeysFrom(held)] as const] : [],
    );
    const passkeyCount = await this.passkeys.addImported(tx, ctx, new Map(passkeys));
    await this.audit.recordAll(
      tx,
      ctx,
      'user.created',
      [...made.values()].map((userId) => ({
        userId,
        tenantId,
        target: { type: 'user', id: userId },
        metadata: { is_platform_admin: false, imported: true },
      })),
    );
    return { made, passkeyCount };
  }
}

function* batchesOf(accounts: Accounts): Generator<Entry[]> {
  const entries = [...accounts].sort(([a], [b]) => (a < b ? -1 : 1));
  for (let start = 0; start < entries.length; start += BATCH) yield entries.slice(start, start + BATCH);
}
