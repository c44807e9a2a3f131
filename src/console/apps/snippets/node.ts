import { callbackOf, quoted, type SnippetValues } from './snippet.js';

/** Express with openid-client: discovery, state and PKCE. */
export function nodeSnippet(values: SnippetValues): string {
  const { uri, path, startPath, port } = callbackOf(values);
  const isPlainHttp = values.issuer.startsWith('http:');
  const options = isPlainHttp
    ? ', undefined, {\n  execute: [oidc.allowInsecureRequests], // only for http on your own machine\n}'
    : '';
  return `// npm install express cookie-parser openid-client
// node --env-file=.env app.mjs
import cookieParser from "cookie-parser";
import express from "express";
import * as oidc from "openid-client";

const redirectUri = ${quoted(uri)};
const { OIDC_CLIENT_SECRET, PORT = ${quoted(port)} } = process.env;
const config = await oidc.discovery(new URL(${quoted(values.issuer)}), ${quoted(values.appId)}, OIDC_CLIENT_SECRET${options});

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
