import { createRequire } from 'node:module';
import passport from 'passport';
import { describeClient, type HeldTokens } from '../../support/real-client.js';

interface OAuth2 {
  getOAuthAccessToken(
    token: string,
    parameters: object,
    done: (error: { data?: string } | null, accessToken: string, refreshToken: string, results: Results) => void,
  ): void;
}
interface Results {
  readonly id_token: string;
}
type Verified = (error: Error | null, user: unknown) => void;
type Strategy = passport.Strategy & { readonly _oauth2: OAuth2 };
/** Imported without types: the package has none. */
const { Strategy: OpenIdConnect } = createRequire(import.meta.url)('passport-openidconnect') as {
  Strategy: new (options: object, verify: (...given: unknown[]) => void) => Strategy;
};

/** The strategy passes the tokens only to a function with seven parameters. */
function verify(
  _issuer: unknown,
  profile: unknown,
  _context: unknown,
  idToken: unknown,
  accessToken: unknown,
  refreshToken: unknown,
  done: unknown,
): void {
  const { id: sub } = profile as { id: string };
  (done as Verified)(null, { idToken, accessToken, refreshToken, sub });
}

/** The strategy of most Express apps: no PKCE, no signature check, client_secret_post, and a nonce if configured. */
describeClient('Client library passport-openidconnect 0.1', false, async ({ issuer, client, redirectUri, goodbye }) => {
  const discovery = await fetch(`${issuer}/.well-known/openid-configuration`);
  const { authorization_endpoint, token_endpoint, userinfo_endpoint, end_session_endpoint } =
    (await discovery.json()) as Record<string, string>;
  const strategy = new OpenIdConnect(
    {
      issuer,
      authorizationURL: authorization_endpoint,
      tokenURL: token_endpoint,
      userInfoURL: userinfo_endpoint,
      clientID: client.id,
      clientSecret: client.secret,
      callbackURL: redirectUri,
      scope: ['profile', 'email'],
      nonce: true,
    },
    verify,
  );
  const authenticator = new passport.Authenticator();
  authenticator.use(strategy);
  return {
    login: authenticator.authenticate('openidconnect', { session: false }) as never,
    finish: (request) =>
      new Promise<HeldTokens>((resolve, reject) => {
        const done = (error: Error | null, user: HeldTokens | false, info: unknown) =>
          user ? resolve(user) : reject(error ?? new Error(JSON.stringify(info)));
        const handle = authenticator.authenticate('openidconnect', { session: false }, done) as (
          ...given: unknown[]
        ) => void;
        handle(request, request.res, reject);
      }),
    userinfo: async ({ accessToken }) => {
      const answer = await fetch(userinfo_endpoint!, { headers: { Authorization: `Bearer ${accessToken}` } });
      return (await answer.json()) as Record<string, unknown>;
    },
    // As in passport-oauth2-refresh, with the library that the strategy itself uses.
    refresh: (held) =>
      new Promise<HeldTokens>((resolve, reject) => {
        const parameters = { grant_type: 'refresh_token' };
        strategy._oauth2.getOAuthAccessToken(held.refreshToken, parameters, (error, accessToken, refreshToken, more) =>
          error
            ? reject(new Error(error.data))
            : resolve({ ...held, accessToken, refreshToken, idToken: more.id_token }),
        );
      }),
    endSession: ({ idToken }, state) =>
      `${end_session_endpoint!}?${new URLSearchParams({ id_token_hint: idToken, post_logout_redirect_uri: goodbye, state }).toString()}`,
  };
});
