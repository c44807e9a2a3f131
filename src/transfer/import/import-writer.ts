import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { NewApps } from '../../apps/new-apps.js';
import type { App } from '../../apps/app.entity.js';
import { AuditService } from '../../audit/audit.service.js';
import type { RequestContext } from '../../common/request-context.js';
import { EnrollmentService } from '../../enrollment/enrollment.service.js';
import type { Tenant } from '../../tenants/tenant.entity.js';
import { type BundleIdPolicy, BundleIds } from './bundle-ids.js';
import type { DocumentApp, ImportDocument } from './import-document.js';
import { type ImportProgress, NO_PROGRESS } from './import-progress.js';
import { type ImportedPerson, ImportPeople } from './import-people.js';
import type { ImportedAppResult, ImportedPeople } from './import.view.js';

export interface Written {
  readonly apps: readonly ImportedAppResult[];
  readonly people: ImportedPeople;
  /** For audit entries. */
  readonly counts: { readonly created: number; readonly enrolled: number; readonly left_out: number };
}

/** Writes the apps and people of a document into a tenant. Everything happens in the caller's transaction. */
@Injectable()
export class ImportWriter {
  constructor(
    private readonly newApps: NewApps,
    private readonly bundleIds: BundleIds,
    private readonly people: ImportPeople,
    private readonly enrollment: EnrollmentService,
    private readonly audit: AuditService,
  ) {}

  async write(
    tx: EntityManager,
    ctx: RequestContext,
    tenant: Tenant,
    document: ImportDocument,
    policy: BundleIdPolicy,
    watch: Pick<ImportProgress, 'progress'> = NO_PROGRESS,
  ): Promise<Written> {
    const { accounts, apps } = document;
    const total = apps.reduce((sum, { members }) => sum + members.length, accounts.size);
    const chosen = await this.bundleIds.choose(apps, policy, tx);
    const note = (done: number) => watch.progress(done, total);
    const { people, passkeys } = await this.people.apply(tx, ctx, accounts, tenant.id, note);
    let done = accounts.size;
    const results: ImportedAppResult[] = [];
    for (const [index, each] of apps.entries()) {
      const { bundleId, isKept } = chosen[index]!;
      const made = await this.newApps.createImported(tx, fieldsOf(each, tenant, bundleId));
      const members = await this.enrol(tx, ctx, made.app, each, people);
      await this.audit.record(tx, ctx, 'app.imported', {
        tenantId: tenant.id,
        appId: made.app.id,
        target: { type: 'app', id: made.app.id },
        metadata: { name: made.app.name, bundle_id: bundleId, bundle_id_kept: isKept, users: members },
      });
      results.push({ ...made, isBundleIdKept: isKept });
      done += each.members.length;
      await watch.progress(done, total);
    }
    const summary = { ...summaryOf(document, people), passkeys };
    const counts = { created: summary.created, enrolled: summary.enrolled, left_out: summary.leftOut.length };
    return { apps: results, people: summary, counts };
  }

  /** Never into a Console app: that would make administrators. An import knows no other apps than those it makes. */
  private enrol(
    tx: EntityManager,
    ctx: RequestContext,
    app: App,
    { members }: DocumentApp,
    people: ReadonlyMap<string, ImportedPerson>,
  ): Promise<number> {
    if (app.isConsoleApp) throw new Error('An import must not touch a Console app');
    const enrolled = members.flatMap(({ emailCanonical, roles, status }) => {
      const userId = people.get(emailCanonical)?.userId;
      return userId ? [{ userId, roles, status }] : [];
    });
    return this.enrollment.enrolAll(tx, ctx, app, enrolled);
  }
}

function fieldsOf(app: DocumentApp, tenant: Tenant, bundleId: string) {
  return {
    tenantId: tenant.id,
    name: app.name,
    bundleId,
    registrationPolicy: app.registrationPolicy,
    isActive: app.isActive && tenant.isActive,
    offWithTenant: app.isActive && !tenant.isActive,
    config: app.config,
    branding: app.branding,
    ...app.pictures,
  };
}

function summaryOf(
  { accounts }: ImportDocument,
  people: ReadonlyMap<string, ImportedPerson>,
): Omit<ImportedPeople, 'passkeys'> {
  const outcomes = [...accounts].map(([key, { email }]) => ({ email, outcome: people.get(key)!.outcome }));
  return {
    created: outcomes.filter(({ outcome }) => outcome === 'create').length,
    enrolled: outcomes.filter(({ outcome }) => outcome === 'enrol').length,
    passkeysInDocument: passkeysOf(accounts),
    leftOut: outcomes.filter(({ outcome }) => outcome !== 'create' && outcome !== 'enrol'),
  };
}

function passkeysOf(accounts: ImportDocument['accounts']): number {
  return [...accounts.values()].reduce((sum, { passkeys }) => sum + (passkeys?.credentials.length ?? 0), 0);
}
