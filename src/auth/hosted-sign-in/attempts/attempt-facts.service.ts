import { Injectable } from '@nestjs/common';
import type { RegisteredClient } from '../../../apps/directory/app-directory.js';
import { Clock } from '../../../common/clock.js';
import type { User } from '../../../users/user.entity.js';
import { UsersService } from '../../../users/users.service.js';
import { allowsMethod } from '../../entry/methods/allows-method.rules.js';
import type { EntryVerdict } from '../../entry/entry.rules.js';
import { OwnCredentials } from '../../entry/own-credentials.service.js';
import { showsCredentials } from '../../entry/recent-proof.rules.js';
import { EntryService } from '../../entry/entry.service.js';
import type { RequestedAcr } from '../../../tokens/protocol/acr.rules.js';
import { signInClient } from '../authorization-request/account-client.js';
import type { AuthorizationRequest } from '../authorization-request/authorization-request.js';
import { ConsentCheck } from './consent-check.service.js';
import type { SignInAttempt } from './sign-in-attempt.entity.js';
import type { SignInState } from './sign-in-step.js';

/** Reads the current facts about an attempt. */
@Injectable()
export class AttemptFacts {
  constructor(
    private readonly users: UsersService,
    private readonly entry: EntryService,
    private readonly own: OwnCredentials,
    private readonly consents: ConsentCheck,
    private readonly clock: Clock,
  ) {}

  async read(attempt: SignInAttempt, registered: RegisteredClient): Promise<SignInState> {
    const requested = signInClient(attempt.request, registered);
    const user = attempt.userId ? await this.users.find(attempt.userId) : null;
    if (!user) return { attempt, client: requested, ...UNIDENTIFIED };
    const isAccount = attempt.request.purpose === 'account';
    const client = isAccount ? requested : await this.entry.clientFor(user, requested);
    const acr = await this.entry.judgeAcr(user, client, requestedAcr(attempt.request), attempt.amr);
    const entry = await this.judge(attempt, user, client);
    const consent = isAccount ? 'none' : await this.consents.judge(attempt, user, client, entry);
    const mayBeOffered = entry === 'enter' && mayOfferPasskey(attempt, client);
    const offersPasskey = mayBeOffered && (await this.entry.isPasskeyOfferDue(user));
    const isUnprompted = await this.isUnprompted(attempt, user, requested);
    const credentialsAge = attempt.authTime && (this.clock.now().getTime() - attempt.authTime.getTime()) / 1000;
    return { attempt, client, user, entry, credentialsAge, acr, consent, offersPasskey, isUnprompted };
  }

  /**
   * Whether the user was only authenticated by a provider, which may not have asked for credentials, although the app
   * accepts credentials that the user has here. If the app accepts neither a password nor a passkey of the user, the
   * answer of the provider is all that it can get. The account page accepts all credentials, if need be with the
   * methods of another app, so only the `amr` of the sign-in counts there.
   */
  private async isUnprompted({ request, amr }: SignInAttempt, user: User, client: RegisteredClient): Promise<boolean> {
    if (showsCredentials(amr)) return false;
    return request.purpose === 'account' || this.own.areAccepted(user, client);
  }

  private async judge({ request, amr }: SignInAttempt, user: User, client: RegisteredClient): Promise<EntryVerdict> {
    if (request.purpose === 'account') return this.entry.judgeForAccount(user, amr);
    return (await this.entry.judge(user, client, amr)).verdict;
  }
}

/** The facts until a user is identified. */
export const UNIDENTIFIED = {
  user: null,
  entry: null,
  credentialsAge: null,
  acr: 'met',
  consent: 'none',
  offersPasskey: false,
} as const;

/** Null also if no page may be shown (`prompt=none`) and the requested `acr` is voluntary. */
function requestedAcr({ prompt, acr = null }: AuthorizationRequest): RequestedAcr | null {
  return prompt === 'none' && !acr?.isEssential ? null : acr;
}

/** Only after a sign-in with the password in this attempt, which the passkey is meant to replace. */
function mayOfferPasskey({ request, viaSso, amr }: SignInAttempt, { app, tenant }: RegisteredClient): boolean {
  const isByPassword = !viaSso && amr.includes('pwd');
  return request.purpose === 'app' && tenant.offerPasskeys && isByPassword && allowsMethod(app, 'passkey');
}
