import { authorityOf } from '../../common/actor.js';
import { InsufficientPermissions } from '../../common/http/http.refusals.js';
import type { RequestContext } from '../../common/request-context.js';
import { judgeUpdate } from './app-access.rules.js';
import type { AppUpdate } from './app.dto.js';
import type { App } from '../app/app.entity.js';
import { AppNotFound } from '../app/apps.errors.js';

/**
 * @returns the app, if the caller may make this change
 * @throws AppNotFound (for platform admins only), InsufficientPermissions
 */
export function changeable({ actor }: RequestContext, app: App | null, change: AppUpdate): App {
  if (!app && authorityOf(actor).platform) throw new AppNotFound();
  if (!app || judgeUpdate(actor, app, change) === 'forbidden') throw new InsufficientPermissions();
  return app;
}
