import { AppUpdate } from '../../../apps/settings/app.dto.js';
import type { App } from '../../../apps/app/app.entity.js';
import type { Fields } from '../../frame/requests/console-request.js';
import { type FormInput, readForm } from '../../frame/lists/form-input.js';

/** The empty value is the default. */
const METHOD_LABELS = {
  '': 'Client secret',
  private_key_jwt: 'Signed assertion: the app’s own key, no secret (private_key_jwt)',
} as const;
const NO_JSON = { field: 'jwks', message: 'Enter a JSON Web Key Set, like {"keys": [...]}.' };

/** What the form says, as the API takes it. Only an app that keeps its key to itself can sign, so it becomes confidential. */
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

/** @param fields what was typed and not taken; null: what holds */
export function clientKeysModel({ config }: App, fields: Fields | null) {
  const chosen = fields?.['token_endpoint_auth_method'] ?? config.token_endpoint_auth_method ?? '';
  const shown = config.jwks ? JSON.stringify(config.jwks, null, 2) : '';
  return {
    methods: Object.entries(METHOD_LABELS).map(([value, label]) => ({ value, label, isChosen: value === chosen })),
    jwks: fields?.['jwks'] ?? shown,
    jwksUri: fields?.['jwks_uri'] ?? config.jwks_uri ?? '',
  };
}

/** Null where nothing was entered, undefined where it is no JSON. */
function keySetIn(text: string): unknown {
  if (text.trim() === '') return null;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
