/**
 * How an app was created: by an operator, from a metadata document that the client publishes, or by a registration
 * request (RFC 7591).
 */
export const APP_ORIGINS = ['operator', 'metadata_document', 'dynamic_registration'] as const;
export type AppOrigin = (typeof APP_ORIGINS)[number];

/**
 * Whether the client has registered itself. Such a client gets codes, refresh tokens and the tokens of the device grant
 * for users who have consented, and nothing else (docs/decisions/0075). The database checks that it has no secret, no
 * roles and no push.
 */
export function isSelfRegistered({ origin }: { readonly origin: AppOrigin }): boolean {
  return origin !== 'operator';
}

/**
 * No user can sign up at these apps: a Console app is for administrators, and a self-registered client gets its members
 * by consent.
 */
export function acceptsNoNewUsers(app: { readonly isConsoleApp: boolean; readonly origin: AppOrigin }): boolean {
  return app.isConsoleApp || isSelfRegistered(app);
}
