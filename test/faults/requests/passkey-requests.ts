import type {
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
} from 'nid-webauthn-emulator';
import type { AuthzFixture } from '../../support/authz-fixture.js';
import { addPasskey, altered, TestAuthenticator } from '../../support/passkeys.js';
import { sessionOf } from '../../support/second-factor.js';
import type { TestClient } from '../../support/world.js';
import type { Preparation, WriteRequest } from './write-request.js';

/** Where a native app with a web view is: each app with native apps registered may use it. */
const ORIGIN = 'https://localhost';
const ANDROID_APP = `com.example.shop/${Array<string>(32).fill('AB').join(':')}`;
const REGISTRATION = '/auth/passkey/registration';

const post = (path: string, body: unknown, more: Partial<WriteRequest> = {}): WriteRequest => ({
  method: 'POST',
  path,
  body,
  ...more,
});

function nativeApp({ world, tenant }: AuthzFixture): Promise<TestClient> {
  const config = { allowed_providers: ['password', 'passkey'], android_apps: [ANDROID_APP] };
  return world.app(tenant, { config });
}

/** As the dialog of the device answers, which names the native app. */
const fromNativeApp = (credential: string): object =>
  JSON.parse(
    altered(credential, ({ clientDataJSON }) => {
      const data = JSON.parse(Buffer.from(clientDataJSON!, 'base64url').toString()) as object;
      return { clientDataJSON: Buffer.from(JSON.stringify({ ...data, origin: ORIGIN })).toString('base64url') };
    }),
  ) as object;

/** A member who has just signed in by JSON, with the cookie. */
async function signedIn(fixture: AuthzFixture) {
  const app = await nativeApp(fixture);
  return { app, session: sessionOf(await fixture.world.login(await fixture.world.user(app), app.id)) };
}

/** Requests of native apps for passkeys, as JSON. */
export const PASSKEY_REQUESTS: Readonly<Record<string, Preparation>> = {
  'POST /auth/passkey/options': async (fixture) =>
    post('/auth/passkey/options', { app_id: (await nativeApp(fixture)).id }),
  'POST /auth/passkey': async (fixture) => {
    const { world } = fixture;
    const app = await nativeApp(fixture);
    const device = new TestAuthenticator(world.baseUrl);
    await addPasskey(world, await world.user(app), device);
    const { body } = await world.call<PublicKeyCredentialRequestOptionsJSON>('POST', '/auth/passkey/options', {
      app_id: app.id,
    });
    const named = fromNativeApp(device.get(body));
    const credential = JSON.parse(device.signed(JSON.stringify(named), () => undefined)) as object;
    return post('/auth/passkey', { app_id: app.id, credential });
  },
  'POST /auth/passkey/registration/options': async (fixture) => {
    const { app, session } = await signedIn(fixture);
    return post(`${REGISTRATION}/options`, { app_id: app.id }, session);
  },
  'POST /auth/passkey/registration': async (fixture) => {
    const { world } = fixture;
    const { app, session } = await signedIn(fixture);
    const { body } = await world.call<PublicKeyCredentialCreationOptionsJSON>(
      'POST',
      `${REGISTRATION}/options`,
      { app_id: app.id },
      session,
    );
    const credential = fromNativeApp(new TestAuthenticator(world.baseUrl).create(body));
    return post(REGISTRATION, { app_id: app.id, credential }, session);
  },
};
