export interface HelpCategory {
  /** Part of the URL, and the folder under `docs/help`. */
  readonly slug: string;
  readonly title: string;
  /** Articles in the order of the list; each is `docs/help/<category>/<slug>.md`. */
  readonly articles: readonly string[];
}

/** Frequently read articles, as `<category>/<article>`; shown above the table of contents. */
export const POPULAR_ARTICLES: readonly string[] = [
  'start/first-app',
  'administration/sign-in-trouble',
  'tokens/openid-connect',
  'push/webhooks',
];

/** The table of contents. A test fails for a file without an entry, and for an entry without a file. */
export const HELP_CATEGORIES: readonly HelpCategory[] = [
  { slug: 'start', title: 'Getting started', articles: ['first-app', 'words'] },
  {
    slug: 'sign-in',
    title: 'Sign-in methods',
    articles: [
      'password',
      'magic-link',
      'passkeys',
      'google',
      'microsoft',
      'github',
      'apple',
      'second-factor',
      'sso',
      'sign-out',
      'invites-and-approval',
    ],
  },
  {
    slug: 'tokens',
    title: 'Tokens',
    articles: [
      'claims',
      'verify-javascript',
      'verify-python',
      'verify-go',
      'verify-java',
      'verify-csharp',
      'openid-connect',
      'client-credentials',
      'private-key-jwt',
      'dpop',
      'devices',
      'resources',
      'token-exchange',
      'consent',
      'client-documents',
      'client-registration',
      'mcp',
    ],
  },
  { slug: 'push', title: 'Push', articles: ['devices', 'sending', 'web-push', 'webhooks'] },
  {
    slug: 'administration',
    title: 'Administration',
    articles: ['roles', 'sign-in-trouble', 'preview-changes', 'account-deletion', 'export-and-import'],
  },
  { slug: 'operations', title: 'Operations', articles: ['keys', 'audit-log', 'limits'] },
];
