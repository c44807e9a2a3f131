import { AppUpdate } from '../../../apps/settings/app.dto.js';
import type { App } from '../../../apps/app/app.entity.js';
import type { Fields } from '../../frame/requests/console-request.js';
import { type FormInput, readForm } from '../../frame/lists/form-input.js';
import { optionsOf } from '../../frame/lists/form-values.js';

/** The empty value is the default. */
const METHOD_LABELS = {
  '': 'Client secret',
  private_key_jwt: 'Signed assertion: the app’s own key, no secret (private_key_jwt)',
} as const;
const NO_JSON = { field: 'jwks', message: 'Enter a JSON Web Key Set, like {"keys": [...]}.' };

/**
 * Reads the form as a request of the API. An app that signs with a key becomes confidential, because only confidential
 * apps can keep it.
 */
export function readClientKeys(fields: Fields): FormInput<AppUpdate> {
  const jwks = keySetIn(fields['jwks'] ?? '');
  if (jwks === undefined) return { errors: [NO_JSON] };
  const method = fields['token_endpoint_auth_method'] || null;
  return readForm(AppUpdate, {
    config: {
      token_endpoint_auth_method: method,
      jwks,
      jwks_uri: fields['jwks_uri']?.trim() || null,
      ...(method === null ? {} : { client_type: 'confidential' }),
    },
  });
}

/** @param fields values of a form with errors; null: the current values */
export function clientKeysModel({ config }: App, fields: Fields | null) {
  const chosen = fields?.['token_endpoint_auth_method'] ?? config.token_endpoint_auth_method ?? '';
  const shown = config.jwks ? JSON.stringify(config.jwks, null, 2) : '';
  return {
    methods: optionsOf(METHOD_LABELS, chosen),
    jwks: fields?.['jwks'] ?? shown,
    jwksUri: fields?.['jwks_uri'] ?? config.jwks_uri ?? '',
  };
}

/** Null if the field is empty, undefined if it is not JSON. */
function keySetIn(text: string): unknown {
  if (text.trim() === '') return null;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
