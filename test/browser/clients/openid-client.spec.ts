import * as oidc from 'openid-client';
import { describeClient, type HeldTokens } from '../../support/real-client.js';

/** As in the library's README: a confidential client with discovery, PKCE, state and nonce. */
describeClient('Client library openid-client 6', true, async ({ issuer, client, redirectUri, goodbye }) => {
  const configuration = await oidc.discovery(new URL(issuer), client.id, client.secret, undefined, {
    execute: [oidc.allowInsecureRequests],
  });
  const held = (tokens: oidc.TokenEndpointResponse & oidc.TokenEndpointResponseHelpers): HeldTokens => ({
    accessToken: tokens.access_token,
    refreshToken: tokens.refresh_token!,
    idToken: tokens.id_token!,
    sub: tokens.claims()!.sub,
  });
  return {
    login: async (request, response) => {
      const pkceCodeVerifier = oidc.randomPKCECodeVerifier();
      const expected = { pkceCodeVerifier, expectedState: oidc.randomState(), expectedNonce: oidc.randomNonce() };
      Object.assign((request as unknown as { session: object }).session, { expected });
      const url = oidc.buildAuthorizationUrl(configuration, {
        redirect_uri: redirectUri,
        scope: 'openid profile email',
        code_challenge: await oidc.calculatePKCECodeChallenge(pkceCodeVerifier),
        code_challenge_method: 'S256',
        state: expected.expectedState,
        nonce: expected.expectedNonce,
      });
      response.redirect(303, url.href);
    },
    finish: async (request) => {
      const expected = request.session['expected'] as oidc.AuthorizationCodeGrantChecks;
      const url = new URL(request.originalUrl, redirectUri);
      return held(await oidc.authorizationCodeGrant(configuration, url, { ...expected, idTokenExpected: true }));
    },
    userinfo: async ({ accessToken, sub }) => ({ ...(await oidc.fetchUserInfo(configuration, accessToken, sub)) }),
    refresh: async ({ refreshToken, accessToken }) => {
      const { active } = await oidc.tokenIntrospection(configuration, accessToken);
      if (!active) throw new Error('The access token is not alive');
      return held(await oidc.refreshTokenGrant(configuration, refreshToken));
    },
    endSession: ({ idToken }, state) =>
      oidc.buildEndSessionUrl(configuration, {
        post_logout_redirect_uri: goodbye,
        id_token_hint: idToken,
        state,
      }).href,
  };
});
