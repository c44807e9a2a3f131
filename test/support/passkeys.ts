import {
  AuthenticatorEmulator,
  type AuthenticatorParameters,
  type PublicKeyCredentialCreationOptionsJSON,
  type PublicKeyCredentialRequestOptionsJSON,
  WebAuthnEmulator,
} from 'nid-webauthn-emulator';
import type { Settings } from '../../src/config/settings.js';
import { visitAccount } from './account-visitor.js';
import { freePort } from './free-port.js';
import type { HostedAnswer, HostedBrowser } from './hosted-page.js';
import type { Person, World } from './world.js';

/** Settings of a service whose address can have passkeys: browsers make none for an IP address. */
export async function passkeySettings(): Promise<Pick<Settings, 'port' | 'baseUrl'>> {
  const port = await freePort();
  return { port, baseUrl: `http://localhost:${port}` };
}

/** An authenticator in the hands of one person, and the browser's part of the ceremony. */
export class TestAuthenticator {
  readonly device: AuthenticatorEmulator;
  private readonly browser: WebAuthnEmulator;

  constructor(
    readonly origin: string,
    parameters: Partial<AuthenticatorParameters> = {},
  ) {
    this.device = new AuthenticatorEmulator(parameters);
    this.browser = new WebAuthnEmulator(this.device);
  }

  /** @returns the field `credential` of the form */
  create(options: PublicKeyCredentialCreationOptionsJSON): string {
    return JSON.stringify(this.browser.createJSON(this.origin, options));
  }

  get(options: PublicKeyCredentialRequestOptionsJSON): string {
    return JSON.stringify(this.browser.getJSON(this.origin, options));
  }
}

export async function registrationOptions(browser: HostedBrowser): Promise<PublicKeyCredentialCreationOptionsJSON> {
  const form_token = (await browser.get('/account/passkeys/new')).formToken();
  const answer = await browser.post('/account/passkeys/options', { form_token });
  if (answer.status !== 200) throw new Error(`No options: ${answer.status} ${answer.location}`);
  return JSON.parse(answer.body) as PublicKeyCredentialCreationOptionsJSON;
}

export async function sendPasskey(browser: HostedBrowser, credential: string): Promise<HostedAnswer> {
  const form_token = (await browser.get('/account/passkeys/new')).formToken();
  return browser.post('/account/passkeys', { form_token, credential });
}

/** Signs in to the account page with the password, and adds a passkey there. */
export async function addPasskey(world: World, person: Person, device: TestAuthenticator): Promise<HostedBrowser> {
  const browser = await visitAccount(world, person);
  const answer = await sendPasskey(browser, device.create(await registrationOptions(browser)));
  if (answer.location !== '/account?done=passkey-added') throw new Error(`Not added: ${answer.status} ${answer.body}`);
  return browser;
}

/** Changes what the browser says in an answer; the signature over it is then wrong. */
export function altered(
  credential: string,
  change: (response: Record<string, string>) => Record<string, unknown>,
): string {
  const whole = JSON.parse(credential) as { response: Record<string, string> };
  return JSON.stringify({ ...whole, response: { ...whole.response, ...change(whole.response) } });
}
