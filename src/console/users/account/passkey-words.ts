import { Injectable } from '@nestjs/common';
import { AuthenticatorModels } from '../../../auth/credentials/passkeys/stored/authenticator-models.js';
import type { Passkey } from '../../../auth/credentials/passkeys/stored/passkey.entity.js';

/** Names of passkeys in the console. */
@Injectable()
export class PasskeyWords {
  constructor(private readonly models: AuthenticatorModels) {}

  describe({ name, aaguid, isSynced }: Pick<Passkey, 'name' | 'aaguid' | 'isSynced'>): string {
    const model = this.models.nameOf(aaguid);
    const named = name ?? model ?? 'Passkey';
    return [named, ...(name && model ? [model] : []), isSynced ? 'synced' : 'on one device only'].join(' · ');
  }
}
