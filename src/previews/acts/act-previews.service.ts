import { Injectable } from '@nestjs/common';
import { reasonOf } from '../../admin/users/memberships/refusal-words.js';
import { PlatformAdminsService } from '../../admin/users/platform-admins/platform-admins.service.js';
import { authorityOf } from '../../common/actor.js';
import { InsufficientPermissions } from '../../common/http/http.refusals.js';
import type { RequestContext } from '../../common/request-context.js';
import { ChangeEffects, MAX_INLINE_MEMBERS } from '../effects/change-effects.js';
import type { Proposal } from '../proposals/proposal.js';
import { type EffectByApp, EffectCounter } from '../effects/effect-counter.js';
import { visibilityOf } from '../../auth/entry/visibility.js';
import { EntrantsRepository } from '../../auth/entry/entrants.repository.js';
import { TooManyMemberships } from './previews.errors.js';
import { PreviewLimiter } from '../proposals/preview-limiter.js';
import { type MembersAct, type ProposedAct, ProposedActs } from '../effects/proposed-acts.js';

/**
 * Up to this number of users or memberships, a preview does not count against the limit: it is no more work than the
 * action.
 */
const UNCOUNTED = 50;

/** Effects of an action on the sign-in of users. */
export interface ActPreview {
  /** Number of users to whom the action applies. */
  readonly users: number;
  /** Only effects that occur, most serious first. */
  readonly effects: readonly EffectByApp[];
  /** Number of sign-ins at apps that would end. */
  readonly endedSignIns: number;
  /** Whether the tenant would have no admin any more. */
  readonly leavesNoAdmin: boolean;
  /** Users for whom the action would be refused, with the reason. */
  readonly refused: readonly { readonly userId: string; readonly reason: string }[];
}

/** Previews actions on members or accounts. */
@Injectable()
export class ActPreviews {
  constructor(
    private readonly acts: ProposedActs,
    private readonly admins: PlatformAdminsService,
    private readonly effects: ChangeEffects,
    private readonly entrants: EntrantsRepository,
    private readonly limiter: PreviewLimiter,
  ) {}

  /** @throws AppNotFound, InsufficientPermissions, InvalidInput, RateLimited, TooManyMemberships */
  async ofMembers(ctx: RequestContext, appId: string, change: MembersAct): Promise<ActPreview> {
    const proposed = await this.acts.onMembers(ctx, appId, change);
    const size = { appId, users: change.userIds.length };
    return this.sized(ctx, proposed.proposal, size, () => this.judgeMembers(ctx, appId, proposed));
  }

  private async judgeMembers(ctx: RequestContext, appId: string, proposed: ProposedAct): Promise<ActPreview> {
    const { app, proposal, refused, signedOut, leaving } = proposed;
    const leavesNoAdmin =
      app.isConsoleApp && leaving.length > 0 && !(await this.entrants.hasOtherMembers(appId, leaving));
    return {
      users: proposal.userIds!.length,
      effects: await this.effectsOf(ctx, proposal),
      endedSignIns: await this.entrants.countSignIns(signedOut, appId),
      leavesNoAdmin,
      refused: [...refused].map(([userId, refusal]) => ({ userId, reason: reasonOf(refusal) })),
    };
  }

  /** @throws InsufficientPermissions, UserNotFound, CannotRemoveYourself, LastPlatformAdmin, RateLimited, TooManyMemberships */
  async ofAccount(ctx: RequestContext, userId: string, act: 'delete' | 'remove_platform_admin'): Promise<ActPreview> {
    if (!authorityOf(ctx.actor).platform) throw new InsufficientPermissions();
    await this.admins.checkRemoval(ctx, userId);
    const proposal = await this.acts.onAccount(userId, act);
    return this.sized(ctx, proposal, { appId: null, users: 1 }, async () => ({
      users: 1,
      effects: await this.effectsOf(ctx, proposal),
      endedSignIns: act === 'delete' ? await this.entrants.countSignIns([userId], null) : 0,
      leavesNoAdmin: false,
      refused: [],
    }));
  }

  /** Each user is evaluated at each of their apps, so many users, or many apps of one user, count against the limit. */
  private async sized<Result>(
    ctx: RequestContext,
    proposal: Proposal,
    { appId, users }: { readonly appId: string | null; readonly users: number },
    judge: () => Promise<Result>,
  ): Promise<Result> {
    const memberships = await this.effects.count(proposal, MAX_INLINE_MEMBERS + 1);
    if (memberships > MAX_INLINE_MEMBERS) throw new TooManyMemberships();
    const about = { tenantId: proposal.tenantId, appId };
    return Math.max(users, memberships) > UNCOUNTED ? this.limiter.run(ctx, about, judge) : judge();
  }

  private async effectsOf(ctx: RequestContext, proposal: Proposal): Promise<EffectByApp[]> {
    const counter = new EffectCounter(ctx);
    for await (const judged of this.effects.walk(proposal, visibilityOf(ctx.actor))) counter.add(judged);
    return counter.effectsByApp();
  }
}
