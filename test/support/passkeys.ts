import { createHash, createPrivateKey, sign } from 'node:crypto';
import {
  AuthenticatorEmulator,
  PasskeysCredentialsMemoryRepository,
  type PublicKeyCredentialCreationOptionsJSON,
  type PublicKeyCredentialRequestOptionsJSON,
  WebAuthnEmulator,
} from 'nid-webauthn-emulator';
import type { Settings } from '../../src/config/settings.js';
import { visitAccount } from './account-visitor.js';
import { freePort } from './free-port.js';
import type { HostedAnswer, HostedBrowser } from './hosted-page.js';
import type { TestUser, World } from './world.js';

/** Settings of a service whose address can have passkeys: browsers make none for an IP address. */
export async function passkeySettings(): Promise<Pick<Settings, 'port' | 'baseUrl'>> {
  const port = await freePort();
  return { port, baseUrl: `http://localhost:${port}` };
}

export interface Traits {
  readonly algorithm?: 'ES256' | 'EdDSA' | 'RS256';
  readonly aaguid?: string;
  /** Flag BE: copied to the owner's other devices. */
  readonly isSynced?: boolean;
  /** Flag UV: asks for a PIN or a finger. */
  readonly isVerified?: boolean;
  readonly counts?: boolean;
  /** Flag UP: false for one that a password manager makes without a question. */
  readonly isPresent?: boolean;
}

const FLAGS = 32; // of authenticator data, after the hash of the RP ID (WebAuthn, section 6.1)
const UP = 1;
const UV = 1 << 2;
const BE_AND_BS = (1 << 3) | (1 << 4);

/**
 * An authenticator in the hands of one user, and the browser's part of the ceremony. The emulator's are all synced and
 * verified: other flags and counts are written over its own, and signed again.
 */
export class TestAuthenticator {
  /** Uses so far. */
  count = 0;
  private readonly kept = new PasskeysCredentialsMemoryRepository();
  private readonly browser: WebAuthnEmulator;

  constructor(
    readonly origin: string,
    private readonly traits: Traits = {},
  ) {
    const { algorithm, aaguid } = traits;
    const device = new AuthenticatorEmulator({
      credentialsRepository: this.kept,
      ...(algorithm ? { algorithmIdentifiers: [algorithm] } : {}),
      ...(aaguid ? { aaguid: Uint8Array.from(Buffer.from(aaguid.replaceAll('-', ''), 'hex')) } : {}),
    });
    this.browser = new WebAuthnEmulator(device);
  }

  /** @returns the field `credential` of the form */
  create(options: PublicKeyCredentialCreationOptionsJSON): string {
    const credential = JSON.stringify(this.browser.createJSON(this.origin, options));
    return altered(credential, ({ attestationObject }) => {
      const object = Buffer.from(attestationObject!, 'base64url');
      const data = object.indexOf(createHash('sha256').update(options.rp.id!).digest());
      object[data + FLAGS] = this.flags(object[data + FLAGS]!);
      return { attestationObject: object.toString('base64url') };
    });
  }

  /** @param origin where the browser is */
  get(options: PublicKeyCredentialRequestOptionsJSON, origin = this.origin): string {
    const credential = JSON.stringify(this.browser.getJSON(origin, options));
    if (this.traits.counts !== false) this.count++;
    return this.signed(credential, (data) => {
      data[FLAGS] = this.flags(data[FLAGS]!);
      data.writeUInt32BE(this.count, FLAGS + 1);
    });
  }

  /** The same answer with other authenticator data, signed by the key of the passkey. */
  signed(credential: string, change: (data: Buffer) => void): string {
    const { id } = JSON.parse(credential) as { id: string };
    const source = this.kept
      .loadCredentials()
      .map(({ publicKeyCredentialSource }) => publicKeyCredentialSource)
      .find((each) => Buffer.from(each.id).toString('base64url') === id)!;
    const key = createPrivateKey({ format: 'der', type: 'pkcs8', key: Buffer.from(source.privateKey) });
    return altered(credential, ({ authenticatorData, clientDataJSON }) => {
      const data = Buffer.from(authenticatorData!, 'base64url');
      change(data);
      const hash = createHash('sha256').update(Buffer.from(clientDataJSON!, 'base64url')).digest();
      const signature = sign(null, Buffer.concat([data, hash]), key);
      return { authenticatorData: data.toString('base64url'), signature: signature.toString('base64url') };
    });
  }

  private flags(given: number): number {
    const { isSynced = true, isVerified = true, isPresent = true } = this.traits;
    return given & ~(isPresent ? 0 : UP) & ~(isVerified ? 0 : UV) & ~(isSynced ? 0 : BE_AND_BS);
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
export async function addPasskey(world: World, user: TestUser, device: TestAuthenticator): Promise<HostedBrowser> {
  const browser = await visitAccount(world, user);
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

/** A sign-in page in a browser, as its script uses it. */
export class SignInPage {
  private constructor(
    readonly browser: HostedBrowser,
    readonly page: HostedAnswer,
    /** `/sign-in/{attempt}` */
    readonly path: string,
  ) {}

  static async open(browser: HostedBrowser, path: string): Promise<SignInPage> {
    const page = await browser.get(path);
    const attempt = /\/sign-in\/[0-9a-f-]{36}/.exec(page.body)?.[0];
    if (!attempt) throw new Error(`No sign-in page: ${page.status} ${page.location} ${page.body.slice(0, 200)}`);
    return new SignInPage(browser, page, attempt);
  }

  async options(step = 'passkey'): Promise<PublicKeyCredentialRequestOptionsJSON> {
    const answer = await this.browser.post(`${this.path}/${step}/options`, { form_token: this.page.formToken() });
    if (answer.status !== 200) throw new Error(`No options: ${answer.status} ${answer.body.slice(0, 300)}`);
    return JSON.parse(answer.body) as PublicKeyCredentialRequestOptionsJSON;
  }

  send(credential: string, step = 'passkey'): Promise<HostedAnswer> {
    return this.browser.post(`${this.path}/${step}`, { form_token: this.page.formToken(), credential });
  }

  /** Goes on until it leaves the service or stays on a page. */
  async use(device: TestAuthenticator, step = 'passkey'): Promise<HostedAnswer> {
    let answer = await this.send(device.get(await this.options(step)), step);
    for (let hops = 0; answer.location?.startsWith('/') && hops < 5; hops++)
      answer = await this.browser.get(answer.location);
    return answer;
  }
}
