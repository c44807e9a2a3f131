import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { RequestContext } from '../../common/request-context.js';
import { withoutUndefined } from '../../common/without-undefined.js';
import { translateViolation } from '../../database/violated-constraint.js';
import { TenantIsNotActive } from '../../tenants/tenants.errors.js';
import { TenantsService } from '../../tenants/tenants.service.js';
import { keysAreAppAdmins, widensToTenant } from '../settings/app-access.rules.js';
import { APP_PICTURE_NAMES, APP_PICTURES, type Pictures } from '../settings/app-pictures.js';
import { AppChanges } from './app-changes.js';
import { type PlannedSave, requireConfirmed } from './planned-save.js';
import type { AppConfig } from '../app/app-config.js';
import { keepsNoSecret } from '../settings/app-config.rules.js';
import { criticalReasons } from '../settings/critical-app-change.rules.js';
import { changedSettings } from '../settings/changed-settings.rules.js';
import type { AppUpdate } from '../settings/app.dto.js';
import type { App } from '../app/app.entity.js';
import { AppIsArchived, BUNDLE_ID_TAKEN, KeysMustBeReplaced, SecretMustBeRegenerated } from '../app/apps.errors.js';
import { AppsRepository } from '../app/apps.repository.js';
import { changeable } from '../settings/changeable-app.js';
import type { Prediction } from '../comparisons/change-comparison.entity.js';
import { LogoCopies } from '../logo/logo-copies.js';
import { SubmittedConfig } from '../settings/submitted-config.js';

/** Changes an app's fields and settings for those who administer it. */
@Injectable()
export class AppUpdateService {
  constructor(
    private readonly apps: AppsRepository,
    private readonly submitted: SubmittedConfig,
    private readonly tenants: TenantsService,
    private readonly logoCopies: LogoCopies,
    private readonly changes: AppChanges,
  ) {}

  /** @throws AppNotFound, InsufficientPermissions, InvalidInput, BundleIdAlreadyExists, SecretMustBeRegenerated, AppIsArchived, TenantIsNotActive, ReauthenticationRequired */
  async update(
    requestCtx: RequestContext,
    id: string,
    input: AppUpdate,
    prediction?: Prediction,
    planned?: PlannedSave<App>,
  ): Promise<App> {
    const pictures = await this.picturesOf(requestCtx, id, input);
    return this.changes.run(planned ? null : { ctx: requestCtx, appId: id }, async (tx) => {
      const app = changeable(requestCtx, await this.lock(tx, id, input), input);
      const ctx = planned ? await planned.settle(tx, app) : requestCtx;
      if (planned) changeable(ctx, app, input);
      const fields = fieldsOf(input);
      if (fields.length === 0) return app;
      const changed = await this.changeOf(ctx, app, input, tx);
      requireConfirmed(ctx, reasonsOf(ctx, app, { ...app, ...changed }), planned);
      // Also if the address is unchanged: the picture there may be a new one.
      if (input.config?.branding?.logo_url !== undefined) await this.logoCopies.order(tx, { ...app, ...changed });
      if (!planned && isEqual(app, { ...changed, ...pictures })) return app;
      const logo = changed.branding.logo_url === app.branding.logo_url ? {} : { logoCopy: null };
      const result = await this.apps
        .update(tx, id, { ...changed, ...pictures, ...logo })
        .catch((error: unknown) => translateViolation(error, BUNDLE_ID_TAKEN));
      const settings = changedSettings(app, changed);
      const metadata = { fields, ...settings, ...(planned && { scheduled_change: planned.id }) };
      await this.changes.recordChange(tx, ctx, 'app.updated', { before: app, after: result, metadata }, prediction);
      for (const picture of APP_PICTURE_NAMES.filter((name) => APP_PICTURES[name].column in pictures))
        await this.changes.record(tx, ctx, 'app.logo_changed', result, { picture, logo: 'replaced' });
      return result;
    });
  }

  /**
   * The app before and after the update, without changes of its pictures. Writes nothing.
   * @throws as {@link update}, except for BundleIdAlreadyExists, which the database decides, and ReauthenticationRequired
   */
  async draft(ctx: RequestContext, id: string, input: AppUpdate): Promise<{ before: App; after: App }> {
    const before = changeable(ctx, await this.apps.find(id), input);
    return { before, after: { ...before, ...(await this.changeOf(ctx, before, input)) } };
  }

  /**
   * For callers that ask or plan something before they save. @throws as {@link update}, except for
   * BundleIdAlreadyExists
   * @returns the reasons for which the update needs a recent sign-in
   */
  async checkConfirmed(ctx: RequestContext, id: string, input: AppUpdate): Promise<string[]> {
    const { before, after } = await this.draft(ctx, id, input);
    const reasons = reasonsOf(ctx, before, after);
    requireConfirmed(ctx, reasons);
    return reasons;
  }

  /**
   * Checks whether the caller may change these settings, regardless of their values. @throws AppNotFound,
   * InsufficientPermissions
   */
  async checkAuthority(ctx: RequestContext, id: string, input: AppUpdate): Promise<void> {
    changeable(ctx, await this.apps.find(id), input);
  }

  /** The columns that the update writes. */
  private async changeOf({ actor }: RequestContext, app: App, input: AppUpdate, tx?: EntityManager) {
    const merged = this.submitted.merge(app, input.config);
    if (input.is_active && app.archivedAt) throw new AppIsArchived();
    if (input.is_active && !(await this.tenants.get(app.tenantId, tx)).isActive) throw new TenantIsNotActive();
    if (widensToTenant(input.service_scopes ?? [], app.serviceScopes)) checkCredentials(app);
    return {
      ...withoutUndefined({
        name: input.name,
        registrationPolicy: input.registration_policy,
        bundleId: input.bundle_id,
      }),
      ...(input.service_scopes === undefined ? {} : { serviceScopes: [...new Set(input.service_scopes)] }),
      ...(input.is_active === undefined ? {} : { isActive: input.is_active, offWithTenant: false }),
      keysSetByAppAdmin: keysAreAppAdmins(app, merged.config, actor),
      ...(endsSecret(app.config, merged.config) ? { clientSecretHash: NO_SECRET, secretKnownToAppAdmin: false } : {}),
      config: merged.config,
      branding: merged.branding,
    };
  }

  /**
   * Reads and locks the row. If the update switches the app on, the tenant is locked first, in the same order as by
   * the tenant's own switch.
   */
  private async lock(tx: EntityManager, id: string, { is_active }: AppUpdate): Promise<App | null> {
    const seen = is_active ? await this.apps.find(id, tx) : null;
    if (seen) await this.tenants.getForUpdate(tx, seen.tenantId);
    return this.apps.findForUpdate(tx, id);
  }

  /** Runs before the transaction, because decoding is slow, and only for callers who may change the app. */
  private async picturesOf(ctx: RequestContext, id: string, input: AppUpdate): Promise<Partial<Pictures>> {
    const { config } = input;
    if (!Object.values(APP_PICTURES).some(({ field }) => config?.branding?.[field])) return {};
    const app = changeable(ctx, await this.apps.find(id), input);
    return this.submitted.pictures({ actor: ctx.actor, tenantId: app.tenantId, appId: app.id }, config, app);
  }
}

/** Whether a save would change nothing. An audit entry about it could not be deleted. */
function isEqual(app: App, columns: Partial<App>): boolean {
  return Object.entries(columns).every(([name, value]) => isDeepStrictEqual(app[name as keyof App], value));
}

function fieldsOf(input: AppUpdate): string[] {
  const { is_console_app: _ignored, ...fields } = withoutUndefined(input);
  return Object.keys(fields);
}

/** The hash of no known secret. */
const NO_SECRET = Buffer.alloc(32);

/**
 * The secret of an app that becomes a public client is deleted, so it does not work again if the app becomes
 * confidential later.
 */
function endsSecret(before: AppConfig, after: AppConfig): boolean {
  return keepsNoSecret(after) && !keepsNoSecret(before);
}

/** An app admin who can authenticate as the app would get authority over the whole tenant. */
function checkCredentials({ secretKnownToAppAdmin, keysSetByAppAdmin }: App): void {
  if (secretKnownToAppAdmin) throw new SecretMustBeRegenerated();
  if (keysSetByAppAdmin) throw new KeysMustBeReplaced();
}

function reasonsOf({ actor }: RequestContext, before: App, after: App): string[] {
  return criticalReasons(before, after, { isOwnServer: actor.type === 'service' && actor.appId === before.id });
}
