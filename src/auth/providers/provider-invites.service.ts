import { Inject, Injectable } from '@nestjs/common';
import { AppDirectory, type KnownApp } from '../../apps/app-directory.js';
import type { RequestContext } from '../../common/request-context.js';
import { SETTINGS, type Settings } from '../../config/settings.js';
import { Transactions } from '../../database/transactions.js';
import { clientAddressKey } from '../../rate-limits/client-address.js';
import { RateLimitsService } from '../../rate-limits/rate-limits.service.js';
import { UserAlreadyExists } from '../../users/users.errors.js';
import { AccountAlreadyExists, InvalidAppId } from '../auth.errors.js';
import { GuessLimit } from '../joining/guess-limit.js';
import { Identification } from '../sign-in/identification.service.js';
import type { SignInAttempt } from '../sign-in/sign-in-attempt.entity.js';
import { SignInAttemptsRepository } from '../sign-in/sign-in-attempts.repository.js';
import { answerUri } from '../sign-in/authorization-answer.rules.js';
import { restartUri } from '../sign-in/sign-in-pages.js';
import { SignInService } from '../sign-in/sign-in.service.js';
import type { PendingIdentity } from './pending/pending-identity.entity.js';
import { PendingIdentities } from './pending/pending-identities.service.js';
import { InvalidOauthToken, LinkedElsewhere } from './provider.errors.js';
import { NewcomersService } from './newcomers.service.js';
import { allowsMethod } from '../allows-method.rules.js';

export interface PendingInvitation {
  readonly pending: PendingIdentity;
  readonly attempt: SignInAttempt;
  readonly known: KnownApp;
}

export interface InviteAcceptanceInput {
  readonly oauthToken: string;
  /** Of the secrets that the browser holds. */
  readonly browserHashes: readonly Buffer[];
  /** Null: the one that the sign-in was begun for. */
  readonly appId: string | null;
  readonly code: string;
  readonly displayName: string;
  readonly presentedSession: string | null;
}

/** Somebody new, vouched for by a provider, accepts an invite: account, link, enrollment and sign-in at once. */
@Injectable()
export class ProviderInvites {
  constructor(
    private readonly pending: PendingIdentities,
    private readonly newcomers: NewcomersService,
    private readonly signIns: SignInService,
    private readonly identification: Identification,
    private readonly attempts: SignInAttemptsRepository,
    private readonly directory: AppDirectory,
    private readonly guesses: GuessLimit,
    private readonly limits: RateLimitsService,
    private readonly transactions: Transactions,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  /** Uses nothing up. @throws InvalidOauthToken, also where the app does not take the provider any more */
  async get(oauthToken: string, browserHashes: readonly Buffer[]): Promise<PendingInvitation> {
    const pending = await this.pending.find(oauthToken, browserHashes);
    const attempt = pending && (await this.signIns.find(pending.attemptId, pending.browserHash));
    const known = attempt && (await this.directory.findOpen(attempt.appId));
    const isTaken = !!known && allowsMethod(known.app, pending!.provider);
    if (!pending || !attempt || attempt.finishedAt || !isTaken) throw new InvalidOauthToken();
    return { pending, attempt, known };
  }

  /**
   * @returns the attempt, now identified, and the SSO cookie's value, null while a second factor is due
   * @throws InvalidOauthToken, InvalidAppId, InvalidInvite, InviteNotForThisEmail, AccountAlreadyExists, RateLimited
   */
  async accept(
    ctx: RequestContext,
    input: InviteAcceptanceInput,
  ): Promise<{ attempt: SignInAttempt; ssoToken: string | null }> {
    const { attempt, known } = await this.get(input.oauthToken, input.browserHashes);
    if (input.appId !== null && input.appId !== known.app.id) throw new InvalidAppId();
    return this.guesses.watch(ctx, async () => {
      await this.limits.consume('signup_ip', clientAddressKey(ctx.ip));
      const ssoToken = await this.join(ctx, known, attempt, input);
      return { attempt, ssoToken };
    });
  }

  /** Where the browser goes from here: to the app with what it gets, or to the page that is due. */
  async onward(ctx: RequestContext, attempt: SignInAttempt): Promise<string> {
    const current = await this.signIns.find(attempt.id, attempt.browserHash);
    const state = current && (await this.signIns.readState(current));
    if (!state) throw new InvalidOauthToken();
    // A form can be posted by our page alone: the answer is made there.
    if (attempt.request.responseMode === 'form_post') return `${this.settings.baseUrl}/sign-in/${attempt.id}`;
    const next = await this.signIns.proceed(ctx, state);
    switch (next.kind) {
      case 'answer':
        return answerUri(next.answer);
      case 'page':
        return `${this.settings.baseUrl}/sign-in/${attempt.id}`;
      case 'restart':
        return `${this.settings.baseUrl}${restartUri(next.attempt)}`;
    }
  }

  /** The token is given back where anything fails: the code may have been mistyped. */
  private async join(
    ctx: RequestContext,
    known: KnownApp,
    attempt: SignInAttempt,
    { oauthToken, browserHashes, code, displayName, presentedSession }: InviteAcceptanceInput,
  ): Promise<string | null> {
    try {
      return await this.transactions.run(async (tx) => {
        const identity = await this.pending.consume(tx, oauthToken, browserHashes);
        if (!identity) throw new InvalidOauthToken();
        const user = await this.newcomers.createInvited(tx, ctx, known, identity, { code, displayName });
        await this.attempts.dropInvite(tx, attempt.id);
        const amr = ['fed', identity.provider];
        return this.identification.identify(tx, ctx, attempt.id, user, amr, presentedSession);
      });
    } catch (error) {
      // Made since the provider answered: by a second sign-in, or by somebody else with the same address.
      if (error instanceof UserAlreadyExists || error instanceof LinkedElsewhere) throw new AccountAlreadyExists();
      throw error;
    }
  }
}
