import { randomUUID } from 'node:crypto';
import { newInvite } from '../invites.js';
import type { Answer } from '../world.js';
import type { CredentialFixture, Presented } from './credential-fixture.js';
import type { Cell } from './credential-table.js';

/** Requests that must be whole before the credential is looked at; all others are sent with an empty body. */
const WHOLE: Readonly<Record<string, (fixture: CredentialFixture) => Promise<object> | object>> = {
  'POST /auth/accept-invite': async ({ world, app, user }) => {
    const { code } = await newInvite(world, app);
    return { app_id: app.id, invite_code: code, email: user.email };
  },
  'POST /auth/invite': async ({ world, app, user }) => {
    const { code } = await newInvite(world, app);
    return { invite_code: code, email: user.email, display_name: 'Ada' };
  },
  'POST /auth/request-access': ({ approving }) => ({ app_id: approving.id }),
  'POST /account/set-password': () => ({ password: 'another battery staple' }),
};

/** Change the app without a body that says how. */
const OF_AN_UNKNOWN_APP: ReadonlySet<string> = new Set(['POST /admin/apps/:app_id/archive']);

/** Sends a request to the route: existing objects where it would change nothing, unknown ones everywhere else. */
export async function ask(fixture: CredentialFixture, route: string, presented: Presented): Promise<Answer> {
  const [method, pattern] = route.split(' ') as [string, string];
  const path = pattern.replace(/:(\w+)/g, (_, name: string) =>
    OF_AN_UNKNOWN_APP.has(route) ? randomUUID() : valueOf(name, fixture),
  );
  const query =
    pattern === '/login' ? `?app_id=${fixture.app.id}&redirect_uri=${encodeURIComponent(fixture.app.redirectUri)}` : '';
  const headers = (await presented.prove?.(method, path)) ?? presented.headers;
  if (method === 'GET') return fixture.world.call('GET', `${path}${query}`, undefined, { headers });
  const body = {
    ...(await WHOLE[route]?.(fixture)),
    ...(presented.formToken ? { form_token: presented.formToken } : {}),
  };
  return fixture.world.call(method, `${path}${query}`, body, { headers });
}

/** What a reader of the table sees of an answer. */
export function cellOf({ status, headers }: Answer): Cell {
  const location = headers.get('location') ?? '';
  const asksToSignIn = /^\/(?:console\/login|account\/sign-in|login|sign-in)(?:[/?]|$)/.test(location);
  return status >= 300 && status < 400 && asksToSignIn ? 'sign-in' : String(status);
}

function valueOf(parameter: string, { app, tenant }: CredentialFixture): string {
  switch (parameter) {
    case 'app_id':
      return app.id;
    case 'tenant_id':
      return tenant.id;
    case 'provider':
      return 'google';
    case 'category':
      return 'start';
    case 'slug':
      return 'first-app';
    default:
      return randomUUID();
  }
}
