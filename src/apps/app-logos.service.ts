import { Injectable } from '@nestjs/common';
import type { RequestContext } from '../common/request-context.js';
import { AppChanges } from './app-changes.js';
import type { App } from './app.entity.js';
import { AppsRepository } from './apps.repository.js';
import { AppsService } from './apps.service.js';
import { LogoImages } from './logo/logo-images.js';

/** An app's uploaded logo, shown on its sign-in pages and in its mails. */
@Injectable()
export class AppLogosService {
  constructor(
    private readonly images: LogoImages,
    private readonly apps: AppsService,
    private readonly repository: AppsRepository,
    private readonly changes: AppChanges,
  ) {}

  /** @throws AppNotFound, InsufficientPermissions, UnsupportedImageType, LogoTooLarge, ServiceUnavailable */
  async replace(ctx: RequestContext, appId: string, image: Buffer): Promise<App> {
    return this.set(ctx, appId, await this.images.normalize(image));
  }

  /** An app without one stays as it is. @throws AppNotFound, InsufficientPermissions */
  remove(ctx: RequestContext, appId: string): Promise<App> {
    return this.set(ctx, appId, null);
  }

  private async set(ctx: RequestContext, appId: string, logoData: string | null): Promise<App> {
    return this.changes.run(async (tx) => {
      await this.repository.findForUpdate(tx, appId);
      const app = await this.apps.getAdministered(ctx, appId, tx);
      if (app.logoData === logoData) return app;
      const result = await this.repository.update(tx, appId, { logoData });
      await this.changes.record(tx, ctx, 'app.logo_changed', app, { logo: logoData === null ? 'removed' : 'replaced' });
      return result;
    });
  }
}
