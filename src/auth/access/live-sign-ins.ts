import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import type { EntityManager } from 'typeorm';
import type { UserActor } from '../../common/actor.js';
import { discover } from '../../common/discovered.js';
import { EntryCache } from '../../enrollment/memberships/entry-cache.js';
import { RefreshFamiliesRepository } from '../../tokens/grants/token-family/refresh-families.repository.js';
import { OperatorSessions } from './operator-sessions.js';

/** Whether the sign-in of a request is still active: that of the access token, or the console session. */
@Injectable()
export class LiveSignIns implements OnModuleInit {
  private sessions: readonly OperatorSessions[] = [];

  constructor(
    private readonly entries: EntryCache,
    private readonly families: RefreshFamiliesRepository,
    private readonly discovery: DiscoveryService,
  ) {}

  onModuleInit(): void {
    this.sessions = discover(this.discovery, OperatorSessions);
  }

  /** @param tx prevents its end until this transaction ends */
  async isAlive({ userId, audience, signIn, consoleSession }: UserActor, tx?: EntityManager): Promise<boolean> {
    if (consoleSession !== undefined && !(await this.isInConsole(consoleSession, tx))) return false;
    if (!signIn) return true;
    if (await this.entries.isOutlived(userId, audience, signIn.atMs)) return false;
    return tx ? this.families.hold(tx, signIn.id) : (await this.families.findAlive({ grant_id: signIn.id })) !== null;
  }

  private async isInConsole(id: string, tx?: EntityManager): Promise<boolean> {
    for (const sessions of this.sessions) if (await sessions.isAlive(id, tx)) return true;
    return false;
  }
}
