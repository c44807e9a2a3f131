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

/** Finds the invitation behind a code. It uses nothing up. */
@Injectable()
export class Invitations {
  constructor(
    private readonly invites: InviteRedemption,
    private readonly directory: AppDirectory,
    private readonly guesses: GuessLimit,
  ) {}

  /**
   * @returns null if it is used up or its app is switched off; a code that does not exist counts as a guess
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
   * Counts no guess: its callers do, with the other faults that an attempt can have.
   * @param appId where it must be for, or null
   * @param userId who is signed in, or null
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
