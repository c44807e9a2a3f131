import { Injectable } from '@nestjs/common';
import { type MembershipChange, MembershipsService } from '../../admin/users/memberships/memberships.service.js';
import { reasonOf } from '../../admin/users/memberships/refusal-words.js';
import { EnrollmentNotFound, ForbiddenTransition } from '../../enrollment/enrollments/enrollment.errors.js';
import type { RequestKey } from '../../enrollment/requests/request-cursor.js';
import { UserNotFound } from '../../users/users.errors.js';
import { quantity } from '../../common/pages/quantity.js';
import type { ConsoleRequest } from '../frame/requests/console-request.js';
import { unmailedWords } from '../memberships/membership-words.js';
import { BulkMembershipChanges } from '../memberships/bulk-membership-changes.js';
import type { RequestAct } from './request-paths.js';

export interface DecisionResult {
  readonly done: number;
  /** Number of requests that another administrator decided first, or that no longer exist. */
  readonly overtaken: number;
  /** Number of users who got no e-mail, because a limit was reached. */
  readonly unmailed: number;
  /** Other refusals, each text once. */
  readonly refusals: readonly string[];
}

/** Decides requests through the service of the admin API. */
@Injectable()
export class RequestDecisions {
  constructor(
    private readonly memberships: MembershipsService,
    private readonly several: BulkMembershipChanges,
  ) {}

  /**
   * @returns null if it was already decided
   * @throws the refusals of the API
   */
  async decide(
    { ctx }: ConsoleRequest,
    act: RequestAct,
    { userId, appId }: RequestKey,
  ): Promise<MembershipChange | null> {
    try {
      return await this.memberships.run(act, ctx, userId, appId);
    } catch (error) {
      if (isOver(error)) return null;
      throw error;
    }
  }

  async decideAll(
    consoleRequest: ConsoleRequest,
    act: RequestAct,
    picks: readonly RequestKey[],
  ): Promise<DecisionResult> {
    const { refused: members, unmailed } = await this.several.run(consoleRequest, act, picks);
    const refused = members.map(({ refusal }) => refusal);
    const others = refused.filter((refusal) => !isOver(refusal));
    return {
      done: picks.length - refused.length,
      overtaken: refused.length - others.length,
      unmailed,
      refusals: [...new Set(others.map(reasonOf))],
    };
  }
}

/** A denied request is deleted, and the operator may no longer see its user. */
function isOver(error: unknown): boolean {
  return [EnrollmentNotFound, ForbiddenTransition, UserNotFound].some((kind) => error instanceof kind);
}

const DONE: Readonly<Record<RequestAct, string>> = { approve: 'approved', deny: 'denied' };

/** `3 requests were approved. 1 had already been decided.` */
export function decidedWords(act: RequestAct, { done, overtaken, unmailed, refusals }: DecisionResult): string {
  const parts = [
    ...(done > 0 || overtaken === 0 ? [`${quantity(done, 'request was', 'requests were')} ${DONE[act]}.`] : []),
    ...(unmailed > 0 ? [unmailedWords(unmailed)] : []),
    ...(overtaken > 0 ? [`${overtaken} had already been decided.`] : []),
    ...refusals.map((text) => `Some were refused: ${text}.`),
  ];
  return parts.join(' ');
}
