import type { RegisteredClient } from '../../../../apps/directory/app-directory.js';

/** The app, for the audit entry; null on the user's own account. */
export type Place = { readonly appId: string; readonly tenantId: string } | null;

export function placeOf({ app }: RegisteredClient): Place {
  return { appId: app.id, tenantId: app.tenantId };
}
