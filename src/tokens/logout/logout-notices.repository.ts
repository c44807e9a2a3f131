import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Statements } from '../../database/statements.js';
import { isStillGood } from '../../enrollment/admission/admission.sql.js';

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

/** An active sign-in at an app. It needs `users u` and `enrollments e`. */
const GOES_ON = `f.revoked_at IS NULL AND f.expires_at > now() AND ${isStillGood('f.created_at')}`;
const FAMILIES_OF_USER = `refresh_families f JOIN users u ON u.id = f.user_id
      LEFT JOIN enrollments e ON e.user_id = f.user_id AND e.app_id = f.app_id`;

/** Of these apps, those at which the user has no active sign-in, and that were not entered from the kept session. */
const LEFT = {
  name: 'tokens.left_apps',
  text: `SELECT app_id AS "appId" FROM unnest($2::uuid[]) AS ended (app_id)
    WHERE NOT EXISTS (SELECT 1 FROM ${FAMILIES_OF_USER}
      WHERE f.user_id = $1 AND f.app_id = ended.app_id AND (f.sid = $3 OR (${GOES_ON})))`,
};

/** Whether another sign-in at the app is active in the same browser session. */
const IN_SESSION = {
  name: 'tokens.signed_in_in_session',
  text: `SELECT 1 FROM ${FAMILIES_OF_USER} WHERE f.user_id = $1 AND f.app_id = $2 AND f.sid = $3 AND ${GOES_ON} LIMIT 1`,
};

@Injectable()
export class LogoutNoticesRepository {
  constructor(private readonly statements: Statements) {}

  listEntered(tx: EntityManager, userId: string, sids: readonly string[]): Promise<EnteredApp[]> {
    return this.statements.run<EnteredApp>(ENTERED, [userId, sids], tx);
  }

  /** @param keptSid `sid` of the browser session that stays active, or null */
  async listLeft(
    tx: EntityManager,
    userId: string,
    appIds: readonly string[],
    keptSid: string | null,
  ): Promise<string[]> {
    return (await this.statements.run<Pick<EnteredApp, 'appId'>>(LEFT, [userId, appIds, keptSid], tx)).map(
      ({ appId }) => appId,
    );
  }

  async isSignedInInSession(tx: EntityManager, userId: string, { appId, sid }: EnteredApp): Promise<boolean> {
    return (await this.statements.run(IN_SESSION, [userId, appId, sid], tx)).length > 0;
  }

  async listOpen(tx: EntityManager, userId: string): Promise<string[]> {
    return (await this.statements.run<Pick<EnteredApp, 'appId'>>(OPEN, [userId], tx)).map(({ appId }) => appId);
  }
}
