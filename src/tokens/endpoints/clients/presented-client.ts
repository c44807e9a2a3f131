import { InvalidInput } from '../../../common/validation/invalid-input.js';
import { subjectOf } from '../../clients/client-assertion.rules.js';
import type { ClientCredentials } from '../../clients/client-authenticator.js';
import { CLIENT_ASSERTION_TYPE } from '../../protocol/client-assertion-type.js';
import { InvalidClient, InvalidClientAssertion, SeveralClientMethods } from '../../protocol/tokens.errors.js';

/**
 * Methods that {@link presentedClient} reads: a secret in the header or the body, a signed assertion, or only an id.
 */
export const CLIENT_AUTHENTICATION_METHODS = [
  'client_secret_basic',
  'client_secret_post',
  'private_key_jwt',
  'none',
] as const;

/** Members of a body that identify the client. */
export interface ClientFields {
  readonly client_id?: string;
  readonly client_secret?: string;
  readonly client_assertion?: string;
  readonly client_assertion_type?: string;
}

/**
 * Reads the client of a request: from HTTP Basic, an assertion or the body, but never several of them (RFC 6749 section
 * 2.3). Credentials need a client id; without one they would be checked nowhere.
 * @throws InvalidClient, InvalidClientAssertion, SeveralClientMethods, InvalidInput if two ids differ
 */
export function presentedClient(body: ClientFields, authorization: string | undefined): ClientCredentials {
  const client = readClient(body, authorization);
  if (client.proof !== null && client.clientId === '') throw new InvalidClient();
  return client;
}

function readClient(body: ClientFields, authorization: string | undefined): ClientCredentials {
  const basic = readBasic(authorization);
  if (body.client_assertion || body.client_assertion_type) return byAssertion(body, basic !== null);
  if (!basic) return { clientId: body.client_id ?? '', proof: secretIn(body.client_secret) };
  if (body.client_secret) throw new SeveralClientMethods();
  if (body.client_id && body.client_id.toLowerCase() !== basic.clientId.toLowerCase())
    throw InvalidInput.field('client_id', 'client_id differs from the one in the Authorization header');
  return basic;
}

/** RFC 7521 section 4.2: the assertion contains the client id. A `client_id` parameter must be the same. */
function byAssertion(
  {
    client_id: clientId,
    client_secret: secret,
    client_assertion: assertion,
    client_assertion_type: type,
  }: ClientFields,
  isBasic: boolean,
): ClientCredentials {
  if (isBasic || secret) throw new SeveralClientMethods();
  if (!assertion) throw new InvalidClientAssertion('client_assertion is missing');
  if (type !== CLIENT_ASSERTION_TYPE)
    throw new InvalidClientAssertion(`client_assertion_type must be ${CLIENT_ASSERTION_TYPE}`);
  const subject = subjectOf(assertion);
  if (subject === null || (clientId && clientId.toLowerCase() !== subject.toLowerCase())) throw new InvalidClient();
  return { clientId: subject, proof: { kind: 'assertion', assertion } };
}

function secretIn(text: string | undefined): ClientCredentials['proof'] {
  return text ? { kind: 'secret', secret: text } : null;
}

/**
 * As {@link presentedClient}, with `app_id` as an alternative to `client_id`. @throws InvalidClient,
 * InvalidClientAssertion, SeveralClientMethods, InvalidInput
 */
export function presentedApp(
  body: ClientFields & { readonly app_id?: string },
  authorization: string | undefined,
): ClientCredentials {
  if (body.app_id && body.client_id && body.app_id.toLowerCase() !== body.client_id.toLowerCase())
    throw InvalidInput.field('client_id', 'client_id and app_id differ');
  const client = presentedClient({ ...body, client_id: body.app_id ?? body.client_id }, authorization);
  if (client.clientId === '') throw InvalidInput.field('app_id', 'Field required', 'missing');
  return client;
}

/** HTTP Basic with form-encoded parts (RFC 6749 section 2.3.1), or null. @throws InvalidClient if it is malformed */
function readBasic(header: string | undefined): ClientCredentials | null {
  if (!header || !/^basic /i.test(header)) return null;
  const decoded = Buffer.from(header.slice(6), 'base64').toString('utf8');
  const colon = decoded.indexOf(':');
  if (colon < 0) throw new InvalidClient();
  try {
    const [clientId, clientSecret] = [decoded.slice(0, colon), decoded.slice(colon + 1)].map((part) =>
      decodeURIComponent(part.replaceAll('+', ' ')),
    );
    // A public client has an id and an empty secret.
    return { clientId: clientId!, proof: secretIn(clientSecret) };
  } catch {
    throw new InvalidClient();
  }
}
