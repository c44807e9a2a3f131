import * as oauth from 'oauth4webapi';
import { describeClient, type HeldTokens, type SessionRequest } from '../../support/real-client.js';

const LOCAL = { [oauth.allowInsecureRequests]: true };

/** As in the library's examples: a public client with PKCE and no secret. */
describeClient(
  'Client library oauth4webapi 3',
  true,
  async ({ issuer, client: { id: client_id }, redirectUri, goodbye }) => {
    const url = new URL(issuer);
    const server = await oauth.processDiscoveryResponse(url, await oauth.discoveryRequest(url, LOCAL));
    const client: oauth.Client = { client_id };
    const held = (tokens: oauth.TokenEndpointResponse): HeldTokens => ({
      accessToken: tokens.access_token,
      refreshToken: tokens.refresh_token!,
      idToken: tokens.id_token!,
      sub: oauth.getValidatedIdTokenClaims(tokens)!.sub,
    });
    return {
      login: async (request, response) => {
        const [verifier, state, nonce] = [
          oauth.generateRandomCodeVerifier(),
          oauth.generateRandomState(),
          oauth.generateRandomNonce(),
        ];
        Object.assign((request as SessionRequest).session, { verifier, state, nonce });
        const asked = new URL(server.authorization_endpoint!);
        const parameters = {
          client_id,
          redirect_uri: redirectUri,
          response_type: 'code',
          scope: 'openid profile email',
          code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
          code_challenge_method: 'S256',
          state,
          nonce,
        };
        for (const [name, value] of Object.entries(parameters)) asked.searchParams.set(name, value);
        response.redirect(303, asked.href);
      },
      finish: async ({ originalUrl, session }) => {
        const { verifier, state, nonce } = session as { verifier: string; state: string; nonce: string };
        const parameters = oauth.validateAuthResponse(server, client, new URL(originalUrl, redirectUri), state);
        const response = await oauth.authorizationCodeGrantRequest(
          server,
          client,
          oauth.None(),
          parameters,
          redirectUri,
          verifier,
          LOCAL,
        );
        const tokens = await oauth.processAuthorizationCodeResponse(server, client, response, {
          expectedNonce: nonce,
          requireIdToken: true,
        });
        await oauth.validateApplicationLevelSignature(server, response, LOCAL);
        return held(tokens);
      },
      userinfo: async ({ accessToken, sub }) => {
        const response = await oauth.userInfoRequest(server, client, accessToken, LOCAL);
        return { ...(await oauth.processUserInfoResponse(server, client, sub, response)) };
      },
      refresh: async ({ refreshToken }) => {
        const response = await oauth.refreshTokenGrantRequest(server, client, oauth.None(), refreshToken, LOCAL);
        return held(await oauth.processRefreshTokenResponse(server, client, response));
      },
      endSession: ({ idToken }, state) => {
        const asked = new URL(server.end_session_endpoint!);
        const parameters = { client_id, id_token_hint: idToken, post_logout_redirect_uri: goodbye, state };
        for (const [name, value] of Object.entries(parameters)) asked.searchParams.set(name, value);
        return asked.href;
      },
    };
  },
);
