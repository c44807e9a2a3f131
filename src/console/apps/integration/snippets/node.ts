import { callbackOf, type ClientMethod, quoted, type SnippetValues } from './snippet.js';

/** Client configuration by authentication method. */
const CLIENTS: Readonly<Record<ClientMethod, { variable: string; imported: string; prepared: string; proof: string }>> =
  {
    secret: { variable: 'OIDC_CLIENT_SECRET, ', imported: '', prepared: '', proof: 'OIDC_CLIENT_SECRET, undefined' },
    key: {
      variable: 'OIDC_PRIVATE_KEY, ',
      imported: 'import { importPKCS8 } from "jose";\n',
      prepared: 'const key = await importPKCS8(OIDC_PRIVATE_KEY, "ES256"); // or the algorithm of your key\n',
      proof: 'undefined, oidc.PrivateKeyJwt(key)',
    },
    none: { variable: '', imported: '', prepared: '', proof: 'undefined, oidc.None()' },
  };

/** Express with openid-client: discovery, state and PKCE. */
export function nodeSnippet(values: SnippetValues): string {
  const { uri, path, startPath, port } = callbackOf(values);
  const isPlainHttp = values.issuer.startsWith('http:');
  const options = isPlainHttp
    ? ', {\n  execute: [oidc.allowInsecureRequests], // only for http on your own machine\n}'
    : '';
  const { variable, imported, prepared, proof } = CLIENTS[values.method];
  return `// npm install express cookie-parser openid-client${values.method === 'key' ? ' jose' : ''}
// node --env-file=.env app.mjs
import cookieParser from "cookie-parser";
import express from "express";
${imported}import * as oidc from "openid-client";

const redirectUri = ${quoted(uri)};
const { ${variable}PORT = ${quoted(port)} } = process.env;
${prepared}const config = await oidc.discovery(new URL(${quoted(values.issuer)}), ${quoted(values.appId)}, ${proof}${options});

const app = express().use(cookieParser());

app.get(${quoted(startPath)}, async (request, response) => {
  const signIn = { pkceCodeVerifier: oidc.randomPKCECodeVerifier(), expectedState: oidc.randomState() };
  response.cookie("sign_in", signIn, { httpOnly: true, sameSite: "lax", maxAge: 600_000 });
  const url = oidc.buildAuthorizationUrl(config, {
    redirect_uri: redirectUri,
    scope: "openid profile email",
    state: signIn.expectedState,
    code_challenge: await oidc.calculatePKCECodeChallenge(signIn.pkceCodeVerifier),
    code_challenge_method: "S256",
  });
  response.redirect(url.href);
});

app.get(${quoted(path)}, async (request, response) => {
  const tokens = await oidc.authorizationCodeGrant(config, new URL(request.url, redirectUri), request.cookies.sign_in);
  response.clearCookie("sign_in");
  // Begin a session of your own for tokens.claims().sub here.
  response.json(tokens.claims());
});

app.listen(PORT, () => console.log(\`Open \${new URL(${quoted(startPath)}, redirectUri)}\`));`;
}
