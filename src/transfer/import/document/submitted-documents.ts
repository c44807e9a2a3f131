import { Inject, Injectable } from '@nestjs/common';
import type { AppConfig } from '../../../apps/app/app-config.js';
import { canAdministerPlatform, canAdministerTenant } from '../../../common/actor.js';
import { InsufficientPermissions } from '../../../common/http/http.refusals.js';
import type { RequestContext } from '../../../common/request-context.js';
import { SETTINGS, type Settings } from '../../../config/settings.js';
import type { BundleIdPolicy } from './bundle-ids.js';
import { DocumentReader } from './document-reader.js';
import type { ImportDocument } from './import-document.js';
import { ImportLogos } from './import-logos.js';

/** Platform admins, who import whole tenants, have limits of their own. */
const NEW_TENANT = 'new';

/** Reads documents for an import, and checks that the caller may import them. */
@Injectable()
export class SubmittedDocuments {
  constructor(
    private readonly logos: ImportLogos,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  /** @throws InvalidInput, InsufficientPermissions */
  async readApp(
    ctx: RequestContext,
    body: unknown,
  ): Promise<{ document: ImportDocument; tenantId: string; policy: BundleIdPolicy }> {
    const { document, input } = await DocumentReader.readApp(body, this.settings);
    if (!canAdministerTenant(ctx.actor, input.tenant_id)) throw new InsufficientPermissions();
    checkCredentials(ctx, document);
    const sender = { actor: ctx.actor, tenantId: input.tenant_id, appId: null };
    const ready = await this.logos.normalize(sender, document, () => ['body', 'app']);
    const policy = input.preserve_bundle_id === true ? 'insist' : 'renew';
    return { document: ready, tenantId: input.tenant_id, policy };
  }

  /** @throws InvalidInput, InsufficientPermissions */
  async readTenant(ctx: RequestContext, body: unknown): Promise<ImportDocument> {
    const document = await DocumentReader.readTenant(body, this.settings);
    if (!canAdministerPlatform(ctx.actor)) throw new InsufficientPermissions();
    checkCredentials(ctx, document);
    const sender = { actor: ctx.actor, tenantId: NEW_TENANT, appId: null };
    return this.logos.normalize(sender, document, (index) => ['body', 'apps', index]);
  }
}

/**
 * A caller who imports a password hash can sign in as the owner of the account, and a native app could ask users of
 * every tenant for their passkeys, so both are for platform admins only.
 */
function checkCredentials(ctx: RequestContext, { accounts, apps }: ImportDocument): void {
  if (canAdministerPlatform(ctx.actor)) return;
  if (apps.some(({ config }) => namesNativeApps(config))) throw new InsufficientPermissions();
  for (const { passwordHash, passkeys } of accounts.values())
    if (passwordHash !== null || passkeys !== null) throw new InsufficientPermissions();
}

function namesNativeApps({ android_apps: android = [], apple_app_ids: apple = [] }: AppConfig): boolean {
  return android.length > 0 || apple.length > 0;
}
