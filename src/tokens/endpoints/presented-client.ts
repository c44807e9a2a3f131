import { InvalidInput } from '../../common/validation/invalid-input.js';
import type { ClientCredentials } from '../client-authenticator.js';
import { InvalidClient } from '../tokens.errors.js';

/**
 * How a client names itself: by HTTP Basic or in the body, never both ways at once (RFC 6749 section 2.3).
 * @throws InvalidClient, InvalidInput where the two name different clients
 */
export function presentedClient(
  body: { readonly client_id?: string; readonly client_secret?: string },
  authorization: string | undefined,
): ClientCredentials {
  const basic = readBasic(authorization);
  if (!basic) return { clientId: body.client_id ?? '', clientSecret: body.client_secret ?? null };
  if (body.client_secret !== undefined) throw new InvalidClient();
  if (body.client_id !== undefined && body.client_id !== basic.clientId)
    throw InvalidInput.field('client_id', 'client_id differs from the one in the Authorization header');
  return basic;
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
    return { clientId: clientId!, clientSecret: clientSecret! };
  } catch {
    throw new InvalidClient();
  }
}
