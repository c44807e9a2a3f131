import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { UsersService } from '../../users/users.service.js';
import { LogoutNotices } from '../logout/logout-notices.service.js';
import { type OpenSignIn, OpenSignInsRepository, type SessionMark } from './open-sign-ins.repository.js';

/**
 * Not `owner`: the device that is signed out comes back with its token once more, by no fault of its own, and that must
 * not look like a theft and end everything of the person in the app.
 */
const REASON = 'signed_out';

/** What of a person is signed in by refresh tokens, for the person to look at and to end. */
@Injectable()
export class OpenSignIns {
  constructor(
    private readonly repository: OpenSignInsRepository,
    private readonly users: UsersService,
    private readonly notices: LogoutNotices,
  ) {}

  /** Newest first. */
  list(userId: string, limit: number): Promise<OpenSignIn[]> {
    return this.repository.list(userId, limit);
  }

  /** @returns whether it was theirs and alive */
  end(tx: EntityManager, userId: string, id: string): Promise<boolean> {
    return this.repository.revoke(tx, userId, id, REASON);
  }

  /** Everything that came from one browser session. @returns how many */
  endOfSession(tx: EntityManager, userId: string, session: SessionMark): Promise<number> {
    return this.repository.revokeBySession(tx, userId, { of: session }, REASON);
  }

  /** Every browser session, refresh token and access token of theirs; the apps are told. */
  async endEverything(tx: EntityManager, userId: string): Promise<void> {
    // Before the apps to be told are looked up: one that is just being entered is to be among them.
    await this.users.lock(tx, userId);
    await this.notices.promiseEverywhere(tx, userId);
    await this.users.endEverything(tx, userId);
  }

  /** Everything but what came from this session. @returns how many */
  endOthers(tx: EntityManager, userId: string, session: SessionMark): Promise<number> {
    return this.repository.revokeBySession(tx, userId, { allBut: session }, REASON);
  }
}
