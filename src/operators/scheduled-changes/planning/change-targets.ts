import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { TenantUpdate } from '../../../admin/tenants/tenant.dto.js';
import { TenantUpdateService } from '../../../admin/tenants/tenant-update.service.js';
import type { App } from '../../../apps/app/app.entity.js';
import { AppUpdate } from '../../../apps/settings/app.dto.js';
import { AppUpdateService } from '../../../apps/changes/app-update.service.js';
import type { Prediction } from '../../../apps/comparisons/change-comparison.entity.js';
import type { RequestContext } from '../../../common/request-context.js';
import { InvalidInput } from '../../../common/validation/invalid-input.js';
import { readInput } from '../../../common/validation/read-input.js';
import type { PreviewSubject } from '../../../previews/proposals/preview-subject.js';
import type { Tenant } from '../../../tenants/tenant.entity.js';
import { changedOnly, settingsOf } from './schedulable.rules.js';
import type { ScheduledChange } from './scheduled-change.entity.js';

/** What a scheduled change can be about: an app or a tenant. */
export type ChangeSubject = Extract<PreviewSubject, { of: 'app' | 'tenant' }>;

/** The app or the tenant of a change, with its current settings. */
export interface ChangeTarget {
  readonly tenantId: string;
  readonly appId: string | null;
  /** True for the tenant's own settings and its Console app, for which the changes of other apps leave room. */
  readonly isOfTenant: boolean;
  readonly settings: Readonly<Record<string, unknown>>;
}

/** Changes of apps and tenants, with the services that save them. */
@Injectable()
export class ChangeTargets {
  constructor(
    private readonly apps: AppUpdateService,
    private readonly tenants: TenantUpdateService,
  ) {}

  /** @throws as the update */
  async draft(ctx: RequestContext, subject: ChangeSubject): Promise<ChangeTarget> {
    if (subject.of === 'app') {
      const { before } = await this.apps.draft(ctx, subject.id, subject.input);
      const { tenantId, id: appId, isConsoleApp: isOfTenant } = before;
      return { tenantId, appId, isOfTenant, settings: settingsOf(subject, before) };
    }
    const { before } = await this.tenants.draft(ctx, subject.id, subject.input);
    return { tenantId: before.id, appId: null, isOfTenant: true, settings: settingsOf(subject, before) };
  }

  /**
   * @throws as the update, ReauthenticationRequired for a critical change
   * @returns the reasons for which it is critical, which are confirmed with that
   */
  checkConfirmed(ctx: RequestContext, subject: ChangeSubject): Promise<string[]> {
    if (subject.of === 'app') return this.apps.checkConfirmed(ctx, subject.id, subject.input);
    return this.tenants.checkConfirmed(ctx, subject.id, subject.input);
  }

  /** @throws as the update */
  async changedOf(ctx: RequestContext, subject: ChangeSubject): Promise<ChangeSubject> {
    if (subject.of === 'app') {
      const { before } = await this.apps.draft(ctx, subject.id, subject.input);
      return { ...subject, input: changedOnly(subject, before) as AppUpdate };
    }
    const { before } = await this.tenants.draft(ctx, subject.id, subject.input);
    return { ...subject, input: changedOnly(subject, before) as TenantUpdate };
  }

  /** Whether the caller may change these settings, even if their values are no longer valid. @throws as the update */
  async checkAuthority(ctx: RequestContext, { appId, tenantId, change }: ScheduledChange): Promise<void> {
    if (appId) await this.apps.checkAuthority(ctx, appId, change as AppUpdate);
    else await this.tenants.checkAuthority(ctx, tenantId, change as TenantUpdate);
  }

  /**
   * @param settle called in the transaction of the change, before it, with the current settings, locked; returns the
   * context of the planner
   * @throws as the update
   */
  async save(
    ctx: RequestContext,
    subject: ChangeSubject,
    { id, confirmed }: Pick<ScheduledChange, 'id' | 'confirmed'>,
    prediction: Prediction | undefined,
    settle: (tx: EntityManager, settings: Readonly<Record<string, unknown>>) => Promise<RequestContext>,
  ): Promise<void> {
    const planned = {
      id,
      confirmed,
      settle: (tx: EntityManager, target: App | Tenant) => settle(tx, settingsOf(subject, target)),
    };
    if (subject.of === 'app') await this.apps.update(ctx, subject.id, subject.input, prediction, planned);
    else await this.tenants.update(ctx, subject.id, subject.input, prediction, planned);
  }
}

/** Validates the body again, because the service may have been updated since. @throws InvalidInput */
export function subjectOf({ appId, tenantId, change }: ScheduledChange): ChangeSubject {
  if (appId) return { of: 'app', id: appId, input: checked(AppUpdate, change) };
  return { of: 'tenant', id: tenantId, input: checked(TenantUpdate, change) };
}

function checked<T extends object>(type: new () => T, change: object): T {
  const { input, faults } = readInput(type, change, ['body', 'change']);
  if (faults.length > 0) throw new InvalidInput(faults);
  return input;
}
