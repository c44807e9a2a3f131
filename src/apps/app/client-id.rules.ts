import { isUuid } from '../../common/validation/fields.js';
import type { App } from './app.entity.js';

/** Distinguishes the id from the id of an app and the URL of a metadata document. */
const PREFIX = 'reg_';

/** Public `client_id` of a client that registered by a request (RFC 7591), the same in every tenant. */
export function registrationClientId(registrationId: string): string {
  return PREFIX + registrationId;
}

/** The inverse of {@link registrationClientId}; null: not such a `client_id`. */
export function readRegistrationClientId(clientId: string): string | null {
  const id = clientId.startsWith(PREFIX) ? clientId.slice(PREFIX.length) : '';
  return isUuid(id) && id === id.toLowerCase() ? id : null;
}

/** The `client_id` that the client itself knows (OpenID Connect Core section 2). */
export function ownClientId({ id, metadataUrl, registrationId }: App): string {
  return metadataUrl ?? (registrationId === null ? id : registrationClientId(registrationId));
}
