import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { RegisteredClient } from '../../../apps/directory/app-directory.js';
import { SsoSessionsService } from '../../session/sso-sessions.service.js';
import type { AuthorizationRequest } from '../authorization-request/authorization-request.js';
import { BrowserAttempts } from '../attempts/browser-attempts.js';
import type { HostedRequest } from '../attempts/hosted-request.js';
import { Identification, type ProvenUser } from '../attempts/identification.service.js';
import { SignInAttempts } from '../attempts/sign-in-attempts.service.js';
import { SignInResponder } from '../pages/sign-in-responder.js';
import { SignInExpired } from '../authorization-request/sign-in.errors.js';

/** A hosted sign-in whose first factor was shown elsewhere (a mailed link). It then continues like every other one. */
@Injectable()
export class ProvenSignIn {
  constructor(
    private readonly browserAttempts: BrowserAttempts,
    private readonly attempts: SignInAttempts,
    private readonly identification: Identification,
    private readonly sessions: SsoSessionsService,
    private readonly responder: SignInResponder,
  ) {}

  /**
   * @param prove uses up the proof of the user, in the transaction that identifies the attempt; returns null if it
   * proves no user
   * @returns whether a user was identified and the response has been sent
   * @throws SignInExpired
   */
  async enter(
    hosted: HostedRequest,
    client: RegisteredClient,
    requested: AuthorizationRequest,
    prove: (tx: EntityManager) => Promise<ProvenUser | null>,
  ): Promise<boolean> {
    const { ctx, request, response } = hosted;
    const { id, browserHash } = (await this.browserAttempts.begin(client.app.id, requested, null, request, response))
      .attempt;
    const presented = this.sessions.presented(request);
    const identified = await this.identification.identifyProven(ctx, id, prove, presented);
    if (!identified) return false;
    if (identified.ssoToken) this.sessions.send(response, identified.ssoToken);
    const attempt = await this.attempts.find(id, browserHash);
    const state = attempt && (await this.attempts.readState(attempt));
    if (!state) throw new SignInExpired();
    await this.responder.proceedElsewhere(hosted, state);
    return true;
  }
}
