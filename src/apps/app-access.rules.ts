import { type Actor, governsApp, governsTenant } from '../common/actor.js';
import type { App } from './app.entity.js';
import type { AppCreate, AppUpdate } from './app.dto.js';

type Verdict = 'allowed' | 'forbidden';

const RESERVED_BUNDLE_ID = /^console\./i;

/** Who may make an app with these fields (decisions section 2, matrix rows POST and PUT /admin/apps). */
export function judgeCreate(actor: Actor, input: AppCreate): Verdict {
  if (RESERVED_BUNDLE_ID.test(input.bundle_id) || input.is_console_app === true) return 'forbidden';
  if (actor.type === 'service') {
    const widens = input.service_scopes !== undefined || input.is_console_app !== undefined;
    return actor.tenantId === input.tenant_id && !widens ? 'allowed' : 'forbidden';
  }
  return governsTenant(actor, input.tenant_id) ? 'allowed' : 'forbidden';
}

/** A Console app is changed by whoever governs its tenant, and never in what makes it one. */
export function judgeUpdate(actor: Actor, app: App, input: AppUpdate): Verdict {
  if (input.bundle_id !== undefined && RESERVED_BUNDLE_ID.test(input.bundle_id)) return 'forbidden';
  if (actor.type === 'service') {
    const widens = input.service_scopes !== undefined || input.is_console_app !== undefined;
    return actor.tenantId === app.tenantId && !app.isConsoleApp && !widens ? 'allowed' : 'forbidden';
  }
  if (governsTenant(actor, app.tenantId)) return app.isConsoleApp && touchesConsole(input) ? 'forbidden' : 'allowed';
  if (!governsApp(actor, app) || app.isConsoleApp) return 'forbidden';
  return input.service_scopes === undefined ? 'allowed' : 'forbidden';
}

/** What would open a Console app to others or lead its sign-ins elsewhere. */
function touchesConsole(input: AppUpdate): boolean {
  const { config } = input;
  const fixed = [input.bundle_id, input.registration_policy, input.service_scopes, input.is_active];
  const fixedConfig = [config?.redirect_uris, config?.available_roles, config?.auto_assign_roles];
  return [...fixed, ...fixedConfig].some((value) => value !== undefined);
}
