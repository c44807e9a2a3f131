import { Injectable } from '@nestjs/common';
import { AppDirectory } from '../../apps/directory/app-directory.js';
import type { RequestContext } from '../../common/request-context.js';
import { UsersService } from '../../users/users.service.js';
import { InvalidAppId } from '../entry/auth.errors.js';
import { type DirectSignInResult, DirectSignInService } from './direct-sign-in.service.js';
import { actingAs } from '../entry/entry.service.js';
import { InvalidTotpSession } from '../credentials/second-factor/stored/second-factor.errors.js';
import { SecondFactorCheck } from '../credentials/second-factor/check/second-factor-check.service.js';
import { auditedAppOf } from '../credentials/second-factor/check/audited-app.js';
import { SECOND_FACTOR_AMR } from '../credentials/second-factor/stored/second-factor.rules.js';
import { TotpChallenges } from '../credentials/second-factor/check/totp-challenges.service.js';

/** POST /auth/totp/verify: the second step of a sign-in by JSON. */
@Injectable()
export class TotpLoginService {
  constructor(
    private readonly directory: AppDirectory,
    private readonly users: UsersService,
    private readonly challenges: TotpChallenges,
    private readonly checks: SecondFactorCheck,
    private readonly signIns: DirectSignInService,
  ) {}

  /** @throws InvalidTotpSession, InvalidTotpCode, RateLimited, and the refusals of a sign-in */
  async verify(
    ctx: RequestContext,
    totpSession: string,
    code: string,
    replacedSession: string | null,
  ): Promise<DirectSignInResult> {
    const challenge = await this.challenges.find(totpSession);
    const [user, client] = await Promise.all([
      this.users.find(challenge.userId),
      this.directory.findForApiSignIn(challenge.appId),
    ]);
    if (!user) throw new InvalidTotpSession();
    if (!client) throw new InvalidAppId();
    if (!(await this.challenges.takeTry(challenge))) throw await this.checks.tooManyTries(user, challenge.expiresAt);
    const { deviceId, authTime, beginsNoSession } = challenge;
    const amr = [...new Set([...challenge.amr, ...SECOND_FACTOR_AMR])];
    const asUser = actingAs(ctx, user, client);
    const auditedApp = auditedAppOf(client);
    return this.checks.proveWithin(asUser, user, { code, auditedApp }, (spend) => {
      const signIn = { client, user, authTime, amr, deviceId, replacedSession, beginsNoSession };
      return this.signIns.complete(ctx, signIn, {
        proof: challenge,
        whenOutdated: () => new InvalidTotpSession(),
        prove: async (tx, held) => {
          await this.challenges.consume(tx, challenge);
          await spend(tx, held);
        },
      });
    });
  }
}
