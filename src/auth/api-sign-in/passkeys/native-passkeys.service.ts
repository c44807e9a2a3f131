import { Injectable } from '@nestjs/common';
import type { PublicKeyCredentialCreationOptionsJSON } from '@simplewebauthn/server';
import type { Request } from 'express';
import { ProofTransactions } from '../../../users/proof-transactions.js';
import type { AccountHolder } from '../../access/account-holder.service.js';
import { PasskeyRegistration } from '../../credentials/passkeys/ceremonies/passkey-registration.service.js';
import { passkeyAmr } from '../../credentials/passkeys/stored/passkey.rules.js';
import { Passkeys } from '../../credentials/passkeys/management/passkeys.service.js';
import { SsoSessionsService } from '../../session/sso-sessions.service.js';
import { PasskeyClients } from './passkey-clients.service.js';

/** A new passkey, made in the dialog of a native app: as on the account page, for the user and not for the app. */
@Injectable()
export class NativePasskeys {
  constructor(
    private readonly clients: PasskeyClients,
    private readonly registration: PasskeyRegistration,
    private readonly passkeys: Passkeys,
    private readonly sessions: SsoSessionsService,
    private readonly proofs: ProofTransactions,
  ) {}

  /** @throws InvalidAppId, SignInMethodNotAllowed */
  async options({ user }: AccountHolder, appId: string): Promise<PublicKeyCredentialCreationOptionsJSON> {
    const { client } = await this.clients.get(appId);
    return this.registration.options(user, `native-register:${client.app.id}:${user.id}`);
  }

  /**
   * @param answer the device's, as JSON
   * @returns the new cookie's value, null where there is no session or it stays as it is
   * @throws InvalidAppId, SignInMethodNotAllowed, InvalidPasskey, PasskeyAlreadyAdded, PasskeyModelNotAccepted,
   *   TooManyPasskeys, ProofOutdated
   */
  async add(
    { ctx, user, proof, session }: AccountHolder,
    appId: string,
    answer: string,
    request: Request,
  ): Promise<string | null> {
    const { client, origins } = await this.clients.get(appId);
    const expected = { context: `native-register:${client.app.id}:${user.id}`, origins } as const;
    const made = await this.registration.verify(answer, expected);
    return this.proofs.run(proof, async (tx, held) => {
      await this.passkeys.add(tx, held, ctx, made);
      if (!made.isUserVerified) return null;
      return this.sessions.strengthen(tx, ctx, held, session, request, passkeyAmr(made, { isUserVerified: true }));
    });
  }
}
