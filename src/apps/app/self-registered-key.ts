import type { App } from './app.entity.js';

/** Identifies the app of a self-registered client in a tenant. */
export type SelfRegisteredKey =
  | { readonly metadataUrl: NonNullable<App['metadataUrl']> }
  | { readonly registrationId: NonNullable<App['registrationId']> };
