import type { AppUpdate } from '../../../apps/settings/app.dto.js';
import type { App } from '../../../apps/app/app.entity.js';
import type { Fields } from '../../frame/requests/console-request.js';
import type { ReviewedForm } from '../../previews/change-review.js';
import { appPath } from '../page/app-tabs.js';

/** The update for an app that is switched off or archived. */
export const SWITCH_OFF: AppUpdate = { is_active: false };

/** @param path of the action, under the tab */
export function formToReview(
  navigation: ReviewedForm<AppUpdate>['navigation'],
  app: App,
  fields: Fields,
  path: '/off' | '/archive',
): ReviewedForm<AppUpdate> {
  return {
    id: app.id,
    input: SWITCH_OFF,
    fields,
    navigation,
    action: appPath(app, 'danger', path),
    fileAction: appPath(app, 'danger', '/affected'),
    back: appPath(app, 'danger'),
    button: path === '/off' ? 'Switch app off' : 'Archive app',
    canWait: path === '/off',
  };
}
