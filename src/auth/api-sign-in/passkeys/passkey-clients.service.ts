import { Injectable } from '@nestjs/common';
import { AppDirectory, type RegisteredClient } from '../../../apps/directory/app-directory.js';
import { androidOrigins } from '../../../apps/app/native-apps.rules.js';
import { parseUrl } from '../../../common/validation/parse-url.js';
import { RelyingParty } from '../../credentials/passkeys/ceremonies/relying-party.js';
import { allowsMethod } from '../../entry/methods/allows-method.rules.js';
import { InvalidAppId, SignInMethodNotAllowed } from '../../entry/auth.errors.js';

/** An app that uses passkeys outside our pages, and where it may do that. */
export interface PasskeyClient {
  readonly client: RegisteredClient;
  /** Of its Android apps and websites, beside those of Apple's devices. */
  readonly origins: readonly string[];
  /** Those of websites. */
  readonly websites: readonly string[];
}

/** Apps whose own dialogs ask for passkeys: native apps, and websites of related origins. */
@Injectable()
export class PasskeyClients {
  constructor(
    private readonly directory: AppDirectory,
    private readonly party: RelyingParty,
  ) {}

  /** @throws InvalidAppId, SignInMethodNotAllowed */
  async get(appId: string): Promise<PasskeyClient> {
    const client = await this.directory.findForApiSignIn(appId);
    if (!client) throw new InvalidAppId();
    if (!allowsMethod(client.app, 'passkey')) throw new SignInMethodNotAllowed();
    const websites = this.websitesOf(client);
    return { client, origins: [...androidOrigins(client.app.config), ...websites], websites };
  }

  /** A related origin counts for the apps that redirect users to it after a sign-in. */
  private websitesOf({ redirectUris }: RegisteredClient): string[] {
    return this.party.relatedOrigins.filter((origin) => redirectUris.some((uri) => parseUrl(uri)?.origin === origin));
  }
}
