import { Injectable } from '@nestjs/common';
import { AppDirectory, type RegisteredClient } from '../../../apps/directory/app-directory.js';
import type { RequestContext } from '../../../common/request-context.js';
import { type FoundInvite, InviteRedemption } from '../../../invites/redemption/invite-redemption.service.js';
import { InvalidInvite } from '../../../invites/invite/invites.errors.js';
import { InvalidAppId } from '../../entry/auth.errors.js';
import { offeredSteps } from '../../hosted-sign-in/attempts/next-step.rules.js';
import { GuessLimit } from './guess-limit.js';

export interface Invitation {
  readonly found: FoundInvite;
  readonly client: RegisteredClient;
}

/** Finds the invite of a code and its app, without using up the invite. */
@Injectable()
export class Invitations {
  constructor(
    private readonly invites: InviteRedemption,
    private readonly directory: AppDirectory,
    private readonly guesses: GuessLimit,
  ) {}

  /**
   * An unknown code counts as a guess.
   * @returns null if the invite is unknown or not usable, or its app is switched off
   * @throws RateLimited
   */
  async find(ctx: RequestContext, code: string): Promise<Invitation | null> {
    try {
      const found = await this.guesses.watch(ctx, code, null, async () => {
        const each = await this.invites.find(code);
        if (!each) throw new InvalidInvite();
        return each;
      });
      const client = found.status === 'usable' ? await this.directory.findOpen(found.invite.appId) : null;
      return client && { found, client };
    } catch (error) {
      if (error instanceof InvalidInvite) return null;
      throw error;
    }
  }

  /**
   * Counts no guesses: the callers do, together with the other errors of an attempt.
   * @param appId the app that the invite must be for; null: every app
   * @param userId the signed-in user; null: unknown
   * @throws InvalidAppId, InvalidInvite
   */
  async getUsable(code: string, appId: string | null, userId: string | null): Promise<Invitation> {
    if (appId !== null) await this.getOpen(appId);
    const found = await this.invites.getUsable(code, { appId, userId });
    return { found, client: await this.getOpen(found.invite.appId) };
  }

  private async getOpen(appId: string): Promise<RegisteredClient> {
    const client = await this.directory.findOpen(appId);
    if (!client) throw new InvalidAppId();
    return client;
  }
}

export function mayCreateAccount({ app }: RegisteredClient): boolean {
  return offeredSteps({ ...app, providers: app.config.allowed_providers }, true).includes('invited_sign_up');
}
