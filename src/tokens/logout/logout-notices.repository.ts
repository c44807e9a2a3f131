import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Statements } from '../../database/statements.js';

/** An app that a user entered from a browser's session. */
export interface EnteredApp extends Record<string, unknown> {
  readonly appId: string;
  readonly sid: string;
}

/** Includes ended families, because an app's own session may outlast its refresh tokens. */
const ENTERED = {
  name: 'tokens.entered_apps',
  text: `SELECT DISTINCT app_id AS "appId", sid FROM refresh_families WHERE user_id = $1 AND sid = ANY($2::uuid[])`,
};

/** Apps with a sign-in of this user that was not already ended with all others. */
const OPEN = {
  name: 'tokens.open_apps',
  text: `SELECT DISTINCT f.app_id AS "appId" FROM refresh_families f JOIN users u ON u.id = f.user_id
    WHERE f.user_id = $1 AND f.created_at >= u.tokens_valid_from`,
};

@Injectable()
export class LogoutNoticesRepository {
  constructor(private readonly statements: Statements) {}

  listEntered(tx: EntityManager, userId: string, sids: readonly string[]): Promise<EnteredApp[]> {
    return this.statements.run<EnteredApp>(ENTERED, [userId, sids], tx);
  }

  async listOpen(tx: EntityManager, userId: string): Promise<string[]> {
    return (await this.statements.run<Pick<EnteredApp, 'appId'>>(OPEN, [userId], tx)).map(({ appId }) => appId);
  }
}
