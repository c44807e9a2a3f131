/**
 * Values of OAuth and OpenID Connect parameters that `/login` supports. Its parser and the discovery document use these
 * lists.
 */
export const RESPONSE_TYPES = ['code'] as const;

/** How the response is sent (OAuth 2.0 Multiple Response Type Encoding Practices, Form Post Response Mode). */
export const RESPONSE_MODES = ['query', 'fragment', 'form_post'] as const;
export type ResponseMode = (typeof RESPONSE_MODES)[number];

/** OpenID Connect Core 3.1.2.1, and Initiating User Registration 1.0 for `create`. */
export const PROMPTS = ['none', 'login', 'select_account', 'consent', 'create'] as const;
