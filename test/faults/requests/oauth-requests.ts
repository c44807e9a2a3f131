import { allowDevice, beginDevice, DEVICE_CODE_GRANT, deviceApp } from '../../support/device-grant.js';
import { CHALLENGE, newCode, PKCE, VERIFIER } from '../../support/one-time-code.js';
import {
  ACCESS_TOKEN_TYPE,
  TOKEN_EXCHANGE_GRANT,
} from '../../../src/tokens/grants/token-exchange/token-exchange.rules.js';
import { openIdSignIn } from '../../support/openid-sign-in.js';
import { basic } from '../../support/post.js';
import { type TestClient, unique } from '../../support/world.js';
import type { Preparation, WriteRequest } from './write-request.js';

const asClient = ({ id, secret }: TestClient, path: string, form: Record<string, string>): WriteRequest => ({
  method: 'POST',
  path,
  form,
  headers: { ...basic(id, secret) },
});

/** Requests of OAuth clients, as forms (RFC 6749, RFC 9126). */
export const OAUTH_REQUESTS: Readonly<Record<string, Preparation>> = {
  'POST /auth/par': ({ app }) =>
    Promise.resolve(
      asClient(app, '/auth/par', {
        client_id: app.id,
        response_type: 'code',
        redirect_uri: app.redirectUri,
        code_challenge: CHALLENGE,
        code_challenge_method: 'S256',
      }),
    ),
  'POST /auth/register': async ({ world, tenant }) => {
    await world.asAdmin('PATCH', `/admin/tenants/${tenant.id}`, { client_registration: true });
    return { method: 'POST', path: '/auth/register', body: { redirect_uris: ['http://127.0.0.1/callback'] } };
  },
  'POST /auth/token, authorization_code': async ({ world, app }) =>
    asClient(app, '/auth/token', {
      grant_type: 'authorization_code',
      code: await newCode(world, app, await world.user(app), PKCE),
      code_verifier: VERIFIER,
      redirect_uri: app.redirectUri,
    }),
  'POST /auth/device-authorization': async ({ world, tenant }) =>
    asClient(await deviceApp(world, tenant), '/auth/device-authorization', { scope: 'openid' }),
  'POST /auth/token, device_code': async ({ world, tenant }) => {
    const app = await deviceApp(world, tenant);
    const device = await beginDevice(world, app);
    await allowDevice(world, await world.user(app), device);
    const { device_code } = device;
    return asClient(app, '/auth/token', { grant_type: DEVICE_CODE_GRANT, device_code });
  },
  'POST /auth/token, token exchange': async ({ world }) => {
    const resource = `urn:example:${unique()}`;
    const tenant = await world.tenant({
      resources: [{ identifier: resource, name: 'API', scopes: [], token_lifetime_minutes: 5 }],
    });
    const config = { client_type: 'confidential', token_exchange: true, resources: [resource] };
    const app = await world.app(tenant, { config });
    const { tokens } = await openIdSignIn(world, app, await world.user(app));
    return asClient(app, '/auth/token', {
      grant_type: TOKEN_EXCHANGE_GRANT,
      subject_token: tokens.access_token,
      subject_token_type: ACCESS_TOKEN_TYPE,
      resource,
    });
  },
  'POST /auth/token, refresh_token': async ({ world, app }) => {
    const { refresh_token } = await world.tokens(await world.user(app), app.id);
    return asClient(app, '/auth/token', { grant_type: 'refresh_token', refresh_token });
  },
};
