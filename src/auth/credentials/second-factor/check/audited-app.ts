import type { RegisteredClient } from '../../../../apps/directory/app-directory.js';

/** The app, for the audit entry; null on the user's own account. */
export type AuditedApp = { readonly appId: string; readonly tenantId: string } | null;

export function auditedAppOf({ app }: RegisteredClient): AuditedApp {
  return { appId: app.id, tenantId: app.tenantId };
}
