import { Injectable } from '@nestjs/common';
import type { RequestContext } from '../../common/request-context.js';
import { APP_PICTURES, type AppPicture } from '../settings/app-pictures.js';
import { AppChanges } from '../changes/app-changes.js';
import type { App } from '../app/app.entity.js';
import { AppsRepository } from '../app/apps.repository.js';
import { AppsService } from '../directory/apps.service.js';
import { LogoImages } from '../logo/logo-images.js';

/** An app's uploaded pictures: the logo, the logo for the dark theme, and the favicon. */
@Injectable()
export class AppLogosService {
  constructor(
    private readonly images: LogoImages,
    private readonly apps: AppsService,
    private readonly repository: AppsRepository,
    private readonly changes: AppChanges,
  ) {}

  /** @throws AppNotFound, InsufficientPermissions, UnsupportedImageType, LogoTooLarge, ServiceUnavailable */
  async replace(ctx: RequestContext, appId: string, picture: AppPicture, image: Buffer): Promise<App> {
    const app = await this.apps.getAdministered(ctx, appId);
    const sender = { actor: ctx.actor, tenantId: app.tenantId, appId: app.id };
    return this.set(ctx, appId, picture, await this.images.normalize(sender, image, APP_PICTURES[picture].side));
  }

  /** Does nothing if the app has none. @throws AppNotFound, InsufficientPermissions */
  remove(ctx: RequestContext, appId: string, picture: AppPicture): Promise<App> {
    return this.set(ctx, appId, picture, null);
  }

  private async set(ctx: RequestContext, appId: string, picture: AppPicture, data: string | null): Promise<App> {
    const { column } = APP_PICTURES[picture];
    return this.changes.run({ ctx, appId }, async (tx) => {
      await this.repository.findForUpdate(tx, appId);
      const app = await this.apps.getAdministered(ctx, appId, tx);
      if (app[column] === data) return app;
      const result = await this.repository.update(tx, appId, { [column]: data });
      const logo = data === null ? 'removed' : 'replaced';
      await this.changes.record(tx, ctx, 'app.logo_changed', app, { picture, logo });
      return result;
    });
  }
}
