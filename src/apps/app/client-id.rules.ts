import { isUuid } from '../../common/validation/fields.js';
import type { App } from './app.entity.js';

/** Told apart from the id of an app, and from the address of a document. */
const PREFIX = 'reg_';

/** `client_id` of a client that has registered itself by a request (RFC 7591), the same in every tenant. */
export function registrationClientId(registrationId: string): string {
  return PREFIX + registrationId;
}

/** The other way round; null: no such client. */
export function readRegistrationClientId(clientId: string): string | null {
  const id = clientId.startsWith(PREFIX) ? clientId.slice(PREFIX.length) : '';
  return isUuid(id) && id === id.toLowerCase() ? id : null;
}

/** As the client knows itself (OpenID Connect Core section 2). */
export function ownClientId({ id, metadataUrl, registrationId }: App): string {
  return metadataUrl ?? (registrationId === null ? id : registrationClientId(registrationId));
}
