import { InvalidInput } from '../../common/validation/invalid-input.js';
import type { ClientCredentials } from '../clients/client-authenticator.js';
import { InvalidClient } from '../protocol/tokens.errors.js';

/** What {@link presentedClient} reads: a secret in the body or the header, or a name alone. */
export const CLIENT_AUTHENTICATION_METHODS = ['client_secret_post', 'client_secret_basic', 'none'] as const;

/**
 * How a client names itself: by HTTP Basic or in the body, never both ways at once (RFC 6749 section 2.3).
 * @throws InvalidClient, InvalidInput where the two name different clients
 */
export function presentedClient(
  body: { readonly client_id?: string; readonly client_secret?: string },
  authorization: string | undefined,
): ClientCredentials {
  const basic = readBasic(authorization);
  if (!basic) return { clientId: body.client_id ?? '', clientSecret: body.client_secret || null };
  if (body.client_secret) throw new InvalidClient();
  if (body.client_id && body.client_id.toLowerCase() !== basic.clientId.toLowerCase())
    throw InvalidInput.field('client_id', 'client_id differs from the one in the Authorization header');
  return basic;
}

/** The same where the app goes by `app_id` as well. @throws InvalidClient, InvalidInput */
export function presentedApp(
  body: { readonly app_id?: string; readonly client_id?: string; readonly client_secret?: string },
  authorization: string | undefined,
): ClientCredentials {
  if (body.app_id && body.client_id && body.app_id.toLowerCase() !== body.client_id.toLowerCase())
    throw InvalidInput.field('client_id', 'client_id and app_id differ');
  const client = presentedClient({ ...body, client_id: body.app_id ?? body.client_id }, authorization);
  if (client.clientId === '') throw InvalidInput.field('app_id', 'Field required', 'missing');
  return client;
}

/** HTTP Basic with form-encoded parts (RFC 6749 section 2.3.1), or null. @throws InvalidClient for a malformed one */
function readBasic(header: string | undefined): ClientCredentials | null {
  if (!header || !/^basic /i.test(header)) return null;
  const decoded = Buffer.from(header.slice(6), 'base64').toString('utf8');
  const colon = decoded.indexOf(':');
  if (colon < 0) throw new InvalidClient();
  try {
    const [clientId, clientSecret] = [decoded.slice(0, colon), decoded.slice(colon + 1)].map((part) =>
      decodeURIComponent(part.replaceAll('+', ' ')),
    );
    // A public client has a name and nothing behind the colon.
    return { clientId: clientId!, clientSecret: clientSecret || null };
  } catch {
    throw new InvalidClient();
  }
}
