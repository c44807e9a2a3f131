import type { App } from './app.entity.js';

/** By what the app of a client that has registered itself is found in a tenant. */
export type SelfRegisteredKey =
  | { readonly metadataUrl: NonNullable<App['metadataUrl']> }
  | { readonly registrationId: NonNullable<App['registrationId']> };
