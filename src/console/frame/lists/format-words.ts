/** Roles, in both fields of an app. */
const ROLES = 'Use letters, digits and the characters . : _ - without spaces. Begin with a letter or a digit.';
const HTTPS = 'Enter an address that begins with https://.';

/** What a value with the wrong format should look like, by field. The API says only that it has the wrong format. */
const WORDS: Readonly<Record<string, string>> = {
  android_apps: 'Enter a package name, a slash, and the SHA-256 fingerprint in capital letters with colons.',
  apple_app_ids: 'Enter the team ID, a dot, and the bundle ID, like ABCDE12345.com.example.shop.',
  auto_assign_roles: ROLES,
  available_roles: ROLES,
  bundle_id: 'Use letters, digits, dots, hyphens and underscores.',
  client_document_hosts: 'Enter host names without https://, like client.example.com, or * for every host.',
  default_locale: 'Enter a language tag, like en or de-AT.',
  logo_url: HTTPS,
  passkey_aaguids: 'Enter AAGUIDs, like 2fc0579f-8113-47ea-b116-bb5a8db9202a.',
  policy_uri: HTTPS,
  primary_color: 'Enter a color, like #2563eb.',
  slug: 'Use lowercase letters, digits and hyphens. Begin and end with a letter or a digit.',
  support_uri: HTTPS,
  tos_uri: HTTPS,
};

export function formatWords(field: string | null): string {
  return WORDS[field ?? ''] ?? 'This value has the wrong format.';
}
