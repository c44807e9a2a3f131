import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Injectable } from '@nestjs/common';
import { message, type Text } from '../../../../common/i18n/message.js';

/**
 * Works from `src/auth/credentials/passkeys` and from `dist/…`, which have the same depth. Its source is documented in
 * the same folder.
 */
const FILE = fileURLToPath(new URL('../../../../../data/authenticators/aaguids.json', import.meta.url));

/**
 * Names of authenticators and password managers. Only displayed and never used for a decision: an authenticator can
 * claim any model.
 */
@Injectable()
export class AuthenticatorModels {
  private names: Readonly<Record<string, string>> | undefined;

  /** @param aaguid in lower case with dashes @returns null for a model that is not known */
  nameOf(aaguid: string): string | null {
    this.names ??= JSON.parse(readFileSync(FILE, 'utf8')) as Record<string, string>;
    return Object.hasOwn(this.names, aaguid) ? this.names[aaguid]! : null;
  }

  /** Given by its owner, else the model. */
  shownName({ name, aaguid }: { readonly name: string | null; readonly aaguid: string }): Text {
    return name ?? this.nameOf(aaguid) ?? message('account.passkeys.unnamed');
  }
}
