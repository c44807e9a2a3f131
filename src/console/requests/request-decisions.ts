import { Injectable } from '@nestjs/common';
import { MembershipsService } from '../../admin/people/memberships.service.js';
import { Refusal } from '../../common/refusal.js';
import { EnrollmentNotFound, ForbiddenTransition } from '../../enrollment/enrollment.errors.js';
import type { RequestKey } from '../../enrollment/request-place.js';
import { UserNotFound } from '../../users/users.errors.js';
import type { ConsoleRequest } from '../frame/console-request.js';
import type { RequestAct } from './request-paths.js';

export interface Decided {
  readonly done: number;
  /** Another administrator was quicker, or the request is gone. */
  readonly overtaken: number;
  /** What the API refused besides, each text once. */
  readonly refusals: readonly string[];
}

/** Decides requests through the service of the admin API: one transaction for each. */
@Injectable()
export class RequestDecisions {
  constructor(private readonly memberships: MembershipsService) {}

  /** @returns false: it was decided already. @throws what the API refuses */
  async decide({ ctx }: ConsoleRequest, act: RequestAct, { userId, appId }: RequestKey): Promise<boolean> {
    try {
      await this.memberships.run(act, ctx, userId, appId);
      return true;
    } catch (error) {
      // Of a request that was denied nothing is left, and the user may be out of sight.
      const isOver = [EnrollmentNotFound, ForbiddenTransition, UserNotFound].some((kind) => error instanceof kind);
      if (isOver) return false;
      throw error;
    }
  }

  /** One after the other: a refusal of one does not stop the others. */
  async decideAll(consoleRequest: ConsoleRequest, act: RequestAct, picks: readonly RequestKey[]): Promise<Decided> {
    let done = 0;
    let overtaken = 0;
    const refusals = new Set<string>();
    for (const pick of picks) {
      try {
        if (await this.decide(consoleRequest, act, pick)) done += 1;
        else overtaken += 1;
      } catch (error) {
        if (!(error instanceof Refusal) || error.kind === 'unavailable') throw error;
        refusals.add(error.message);
      }
    }
    return { done, overtaken, refusals: [...refusals] };
  }
}

const DONE: Readonly<Record<RequestAct, string>> = { approve: 'approved', deny: 'denied' };

/** `3 requests were approved. 1 had already been decided.` */
export function decidedWords(act: RequestAct, { done, overtaken, refusals }: Decided): string {
  const parts = [
    ...(done > 0 || overtaken === 0 ? [`${done} ${done === 1 ? 'request was' : 'requests were'} ${DONE[act]}.`] : []),
    ...(overtaken > 0 ? [`${overtaken} had already been decided.`] : []),
    ...refusals.map((text) => `Some were refused: ${text}.`),
  ];
  return parts.join(' ');
}
