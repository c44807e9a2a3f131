import { callbackOf, quoted, type SnippetValues } from './snippet.js';

/** A single-page app with oidc-client-ts: a public client, so there is no secret. */
export function singlePageSnippet(values: SnippetValues): string {
  const isPublic = values.method === 'none';
  return `// npm install oidc-client-ts
${isPublic ? '' : '// On the Sign-in tab, set the client type to public: a browser cannot keep a secret.\n'}import { UserManager } from "oidc-client-ts";

const users = new UserManager({
  authority: ${quoted(values.issuer)},
  client_id: ${quoted(values.appId)},
  redirect_uri: ${quoted(callbackOf(values).uri)},
  scope: "openid profile email",
});

if (new URLSearchParams(location.search).has("state")) {
  await users.signinCallback(); // throws if the sign-in was refused
  history.replaceState(null, "", location.pathname);
}

const user = await users.getUser();
if (user) console.log(user.profile);
else await users.signinRedirect();`;
}
