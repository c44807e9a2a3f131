import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { AppMaximum } from '../../../apps/changes/app-maximum.js';
import type { RequestContext } from '../../../common/request-context.js';
import type { Tenant } from '../../../tenants/tenant.entity.js';
import { type BundleIdPolicy, BundleIds } from '../document/bundle-ids.js';
import type { ImportDocument } from '../document/import-document.js';
import { ImportEnding } from './import-ending.js';
import { type ImportProgress, NO_PROGRESS } from './import-progress.js';
import { type ImportedAccount, ImportAccounts } from './import-accounts.js';
import { ImportedApps } from './imported-apps.js';
import type { ImportedAppResult, ImportedUserCounts } from './import.view.js';

export interface ImportResult {
  readonly apps: readonly ImportedAppResult[];
  readonly users: ImportedUserCounts;
  /** Metadata for audit entries. */
  readonly counts: { readonly created: number; readonly enrolled: number; readonly left_out: number };
}

/**
 * Writes the apps and users of a document into a tenant, for every kind of import, in the caller's transaction. The
 * operator must still have the authority at the end.
 */
@Injectable()
export class ImportWriter {
  constructor(
    private readonly bundleIds: BundleIds,
    private readonly users: ImportAccounts,
    private readonly apps: ImportedApps,
    private readonly ending: ImportEnding,
    private readonly maximum: AppMaximum,
  ) {}

  /**
   * Refuses too many apps before any account is written: until the transaction ends, their addresses are locked in the
   * whole service.
   * @throws BundleIdAlreadyExists, InsufficientPermissions, TooManyApps
   */
  async write(
    tx: EntityManager,
    ctx: RequestContext,
    tenant: Tenant,
    document: ImportDocument,
    policy: BundleIdPolicy,
    watch: Pick<ImportProgress, 'progress'> = NO_PROGRESS,
  ): Promise<ImportResult> {
    const { accounts, apps } = document;
    const total = apps.reduce((sum, { members }) => sum + members.length, accounts.size);
    await this.maximum.check(tenant.id, apps.length, tx);
    const chosen = await this.bundleIds.choose(apps, policy, tx);
    const note = (done: number) => watch.progress(done, total);
    const { users, passkeys } = await this.users.apply(tx, ctx, accounts, tenant.id, note);
    let done = accounts.size;
    const results: ImportedAppResult[] = [];
    for (const [index, each] of apps.entries()) {
      results.push(await this.apps.make(tx, ctx, tenant, each, chosen[index]!, users));
      done += each.members.length;
      await watch.progress(done, total);
    }
    await this.ending.check(tx, ctx, tenant);
    const summary = { ...summaryOf(document, users), passkeys };
    const counts = { created: summary.created, enrolled: summary.enrolled, left_out: summary.leftOut.length };
    return { apps: results, users: summary, counts };
  }
}

function summaryOf(
  { accounts }: ImportDocument,
  users: ReadonlyMap<string, ImportedAccount>,
): Omit<ImportedUserCounts, 'passkeys'> {
  const outcomes = [...accounts].map(([key, { email }]) => ({ email, outcome: users.get(key)!.outcome }));
  return {
    created: outcomes.filter(({ outcome }) => outcome === 'create').length,
    enrolled: outcomes.filter(({ outcome }) => outcome === 'enroll').length,
    passkeysInDocument: passkeysOf(accounts),
    leftOut: outcomes.filter(({ outcome }) => outcome !== 'create' && outcome !== 'enroll'),
  };
}

function passkeysOf(accounts: ImportDocument['accounts']): number {
  return [...accounts.values()].reduce((sum, { passkeys }) => sum + (passkeys?.credentials.length ?? 0), 0);
}
