/** The maker of an app: an operator, a document that a client publishes about itself, or its own request (RFC 7591). */
export const APP_ORIGINS = ['operator', 'metadata_document', 'dynamic_registration'] as const;
export type AppOrigin = (typeof APP_ORIGINS)[number];

/**
 * Whether the app has registered itself. It gets codes, refresh tokens and tokens for devices of users who have
 * consented, and nothing else (docs/decisions/0075). The database checks that it has no secret, no roles and no push.
 */
export function isSelfRegistered({ origin }: { readonly origin: AppOrigin }): boolean {
  return origin !== 'operator';
}

/** No user signs up at it: a Console app takes administrators only, and a client that has registered itself is joined by consent. */
export function takesNoNewUsers(app: { readonly isConsoleApp: boolean; readonly origin: AppOrigin }): boolean {
  return app.isConsoleApp || isSelfRegistered(app);
}
