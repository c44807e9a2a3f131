import { judgeSelfRegistration } from './redirect-uri.rules.js';

const MAX_REDIRECT_URIS = 20;
const MAX_METADATA_LENGTH = 5 * 1024;
const MAX_NAME_LENGTH = 100;
/**
 * Authentication methods that are replaced by `none`: the default of a request without one (RFC 7591 section 2), and
 * those that add no security to PKCE for a program on a device.
 */
const REPLACED_METHODS: readonly unknown[] = [undefined, 'none', 'client_secret_basic', 'client_secret_post'];

/** The name contains a visible character. */
const SHOWN_NAME = /[\p{L}\p{N}]/u;
/**
 * Characters that a client name must not contain: control characters, bidirectional controls, invisible characters,
 * line separators, quotation marks (they would end the quoted name on a page), and letters with more than three
 * combining marks.
 */
const UNFIT_FOR_NAME = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}"“”„‟«»〝〞〟＂\u2800]|\p{M}{4}/u;

/** The metadata that is used: a client without a secret, with its redirect URIs. */
export interface RequestedClient {
  readonly redirectUris: readonly string[];
  /** Name that the client claims. */
  readonly clientName: string | null;
}

/** Error response of RFC 7591 section 3.2.2. */
export interface RegistrationFault {
  readonly error: 'invalid_redirect_uri' | 'invalid_client_metadata';
  readonly description: string;
}

/**
 * Reads a registration request (RFC 7591 section 3.1). Metadata that is unknown, or not needed for a client without a
 * secret, is ignored: links, logos, contacts and scopes.
 */
export function readRegistration(body: unknown, baseUrl: string): RequestedClient | RegistrationFault {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return wrong('The body must be a JSON object');
  if (JSON.stringify(body).length > MAX_METADATA_LENGTH)
    return wrong(`The metadata is longer than ${MAX_METADATA_LENGTH}`);
  const metadata = body as Readonly<Record<string, unknown>>;
  const name = metadata['client_name'] ?? null;
  return (
    uriFault(metadata['redirect_uris'], baseUrl) ??
    kindFault(metadata) ??
    nameFault(name) ?? {
      redirectUris: [...new Set(metadata['redirect_uris'] as string[])],
      clientName: name as string | null,
    }
  );
}

/** RFC 7591 section 3.2.1: returns everything that was registered, including values that differ from the request. */
export function registeredMetadata({ redirectUris, clientName }: RequestedClient) {
  return {
    redirect_uris: redirectUris,
    token_endpoint_auth_method: 'none',
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    ...(clientName === null ? {} : { client_name: clientName }),
  };
}

function uriFault(uris: unknown, baseUrl: string): RegistrationFault | null {
  const fault = (description: string): RegistrationFault => ({ error: 'invalid_redirect_uri', description });
  if (!Array.isArray(uris) || uris.length === 0) return fault('redirect_uris must be a list with at least one URI');
  if (uris.length > MAX_REDIRECT_URIS) return fault(`redirect_uris has more than ${MAX_REDIRECT_URIS} URIs`);
  for (const uri of uris as unknown[]) {
    const reason = typeof uri === 'string' ? judgeSelfRegistration(uri, baseUrl) : 'Redirect URI must be a text';
    if (reason) return fault(reason);
  }
  return null;
}

/**
 * Refuses requests for a method that is safer than what the service would register, instead of weakening it silently.
 */
function kindFault({
  token_endpoint_auth_method: method,
  grant_types: grants,
  response_types: responses,
}: Readonly<Record<string, unknown>>): RegistrationFault | null {
  if (!REPLACED_METHODS.includes(method)) return wrong('token_endpoint_auth_method must be none');
  const requested = listOf(grants, ['authorization_code']);
  if (!requested) return wrong('grant_types must be a list of texts');
  if (!requested.includes('authorization_code')) return wrong('grant_types must include authorization_code');
  if (!listOf(responses, ['code'])?.includes('code')) return wrong('response_types must include code');
  return null;
}

function nameFault(name: unknown): RegistrationFault | null {
  if (name === null) return null;
  const isGood =
    typeof name === 'string' && name.length <= MAX_NAME_LENGTH && SHOWN_NAME.test(name) && !UNFIT_FOR_NAME.test(name);
  return isGood ? null : wrong(`client_name must be a text of at most ${MAX_NAME_LENGTH} characters`);
}

function listOf(value: unknown, otherwise: readonly string[]): readonly string[] | null {
  if (value === undefined) return otherwise;
  return Array.isArray(value) && value.every((each) => typeof each === 'string') ? value : null;
}

function wrong(description: string): RegistrationFault {
  return { error: 'invalid_client_metadata', description };
}
