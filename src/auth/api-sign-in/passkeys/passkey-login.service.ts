import { Injectable } from '@nestjs/common';
import type { PublicKeyCredentialRequestOptionsJSON } from '@simplewebauthn/server';
import { Clock } from '../../../common/clock.js';
import type { RequestContext } from '../../../common/request-context.js';
import { proofOf } from '../../../users/proof.js';
import { PasskeyAssertion } from '../../credentials/passkeys/ceremonies/passkey-assertion.service.js';
import { PasskeyProof } from '../../credentials/passkeys/ceremonies/passkey-proof.service.js';
import { InvalidPasskey } from '../../credentials/passkeys/stored/passkeys.errors.js';
import { type DirectSignInResult, DirectSignInService } from '../direct-sign-in.service.js';
import { PasskeyClients } from './passkey-clients.service.js';

export interface PasskeyLogin {
  readonly appId: string;
  /** The device's answer, as JSON. */
  readonly credential: string;
  readonly deviceId: string | null;
  /** The SSO cookie that came along; its session is replaced. */
  readonly replacedSession: string | null;
}

/** Sign-in of native apps with a passkey: a challenge out, its answer in, and tokens or the question for the second factor. */
@Injectable()
export class PasskeyLoginService {
  constructor(
    private readonly clients: PasskeyClients,
    private readonly assertions: PasskeyAssertion,
    private readonly passkeys: PasskeyProof,
    private readonly signIns: DirectSignInService,
    private readonly clock: Clock,
  ) {}

  /** The same for every user. @throws InvalidAppId, SignInMethodNotAllowed */
  async options(appId: string): Promise<PublicKeyCredentialRequestOptionsJSON> {
    const { app } = (await this.clients.get(appId)).client;
    return this.assertions.options(`native:${app.id}`);
  }

  /** @throws InvalidPasskey, and the refusals that the OpenAPI document lists for POST /auth/login */
  async login(ctx: RequestContext, login: PasskeyLogin): Promise<DirectSignInResult> {
    const { client, origins, websites } = await this.clients.get(login.appId);
    const expected = { context: `native:${client.app.id}`, origins } as const;
    const { user, amr, origin } = await this.passkeys.prove(
      ctx,
      expected,
      null,
      login.credential,
      (_tx, _held, owner) => Promise.resolve(owner),
    );
    const { deviceId, replacedSession } = login;
    // The server of the website sends the answer, not the user's browser: it gets only the tokens of its app.
    const isWebsite = websites.includes(origin);
    const extent = { beginsNoSession: isWebsite, setsUpNoFactor: isWebsite };
    const signIn = { client, user, authTime: this.clock.now(), amr, deviceId, replacedSession, ...extent };
    return this.signIns.complete(ctx, signIn, {
      proof: proofOf(user),
      whenOutdated: () => new InvalidPasskey('not_verified'),
    });
  }
}
