import { keepsNoSecret } from '../../../apps/settings/app-config.rules.js';
import { isSelfRegistered } from '../../../apps/app/app-origin.rules.js';
import type { App } from '../../../apps/app/app.entity.js';
import { ownClientId } from '../../../apps/app/client-id.rules.js';
import { appPath } from '../page/app-tabs.js';
import { clientTypeLabel } from '../sign-in/sign-in-form.js';
import { chosenFramework, frameworksFor } from './snippets/frameworks.js';
import type { ClientMethod } from './snippets/snippet.js';

/** Shown instead of a secret. */
const NO_SECRET: Readonly<Record<ClientMethod, string | null>> = {
  secret: null,
  key: 'None: the app authenticates with its own key.',
  none: 'None: the app is a public client and uses PKCE.',
};

/** How the app authenticates. */
export function clientMethodOf({ config }: Pick<App, 'config'>): ClientMethod {
  if (keepsNoSecret(config)) return 'none';
  return config.token_endpoint_auth_method === 'private_key_jwt' ? 'key' : 'secret';
}

/** The settings of a client library, under their names in OpenID Connect. */
export function credentialsOf(app: App, baseUrl: string, redirectUris: readonly string[]) {
  return {
    issuer: baseUrl,
    discoveryUrl: `${baseUrl}/.well-known/openid-configuration`,
    clientId: app.id,
    documentUrl: app.metadataUrl,
    registeredAs: app.registrationId === null ? null : ownClientId(app),
    claimedName: app.claimedName,
    clientType: app.isConsoleApp || isSelfRegistered(app) ? null : clientTypeLabel(app.config),
    secretUrl: app.isConsoleApp || clientMethodOf(app) !== 'secret' ? null : appPath(app, 'api-access', '/secret'),
    noSecret: app.isConsoleApp ? null : NO_SECRET[clientMethodOf(app)],
    redirectUris,
    redirectUrisUrl: app.isConsoleApp || isSelfRegistered(app) ? null : appPath(app, 'sign-in'),
  };
}

/** Code for a first sign-in with the chosen framework. */
export function startOf(app: App, baseUrl: string, redirectUris: readonly string[], framework: unknown) {
  const values = {
    issuer: baseUrl,
    appId: app.id,
    appName: app.name,
    redirectUri: redirectUris[0] ?? null,
    method: clientMethodOf(app),
  };
  const chosen = chosenFramework(framework, values);
  return {
    tabs: frameworksFor(values).map(({ name, label }) => ({
      label,
      href: `${appPath(app)}?framework=${name}#start`,
      isCurrent: name === chosen.name,
    })),
    label: `First sign-in with ${chosen.label}`,
    text: chosen.write(values),
    language: chosen.language,
    needsRedirectUri: redirectUris.length === 0,
  };
}

/** The settings that the snippets use, as a `.env` file. */
export function environmentOf(
  app: App,
  baseUrl: string,
  redirectUris: readonly string[],
  clientSecret: string | null,
): string {
  const [redirectUri] = redirectUris;
  const lines = [
    `OIDC_ISSUER=${baseUrl}`,
    `OIDC_CLIENT_ID=${app.id}`,
    ...(clientSecret === null ? [] : [`OIDC_CLIENT_SECRET=${clientSecret}`]),
    ...(redirectUri === undefined ? [] : [`OIDC_REDIRECT_URI=${redirectUri}`]),
  ];
  return lines.join('\n');
}

/** The remaining steps after an app is created, in order. */
export function nextSteps(app: App, redirectUris: readonly string[], testUrl: string | null) {
  return [
    { label: 'Register a redirect URI', href: appPath(app, 'sign-in'), isDone: redirectUris.length > 0 },
    { label: 'Add sign-in to your code', href: `${appPath(app)}#start`, isDone: false },
    { label: 'Set the logo and the color', href: appPath(app, 'branding'), isDone: false },
    ...(testUrl === null ? [] : [{ label: 'Test the sign-in page', href: testUrl, isDone: false }]),
    { label: 'Invite the first user', href: appPath(app, 'invites'), isDone: false },
  ];
}
