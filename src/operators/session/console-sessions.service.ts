import { Inject, Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import type { EntityManager } from 'typeorm';
import { ClientCookie } from '../../common/http/browser/client-cookie.js';
import { acceptsCredential } from '../../common/http/context.decorator.js';
import { Randomness } from '../../common/randomness.js';
import { SETTINGS, type Settings } from '../../config/settings.js';
import { hashOpaqueToken, newOpaqueToken } from '../../crypto/opaque-token.js';
import { Transactions } from '../../database/transactions.js';
import type { Proof } from '../../users/proof.js';
import { ProofGuard } from '../../users/proof-guard.js';
import type { Flash } from './console-session.entity.js';
import {
  ConsoleSessionsRepository,
  type Impersonation,
  type LiveConsoleSession,
} from './console-sessions.repository.js';

const IDLE_SECONDS = 3600;
const ABSOLUTE_SECONDS = 12 * 3600;

/** The sign-in from which a session is created. */
export interface ConsoleSignIn {
  readonly amr: readonly string[];
  readonly authTime: Date;
  /** The browser's SSO session of the same user: the console session ends with it. */
  readonly ssoSessionId: string;
}

/** The console's own sessions: opaque cookies, of which only the hash is stored. */
@Injectable()
export class ConsoleSessionsService {
  private readonly cookie: ClientCookie;

  constructor(
    private readonly sessions: ConsoleSessionsRepository,
    private readonly proofs: ProofGuard,
    private readonly transactions: Transactions,
    private readonly randomness: Randomness,
    @Inject(SETTINGS) settings: Settings,
  ) {
    this.cookie = new ClientCookie('console', settings.baseUrl);
  }

  /** Null also if the route's mark does not contain the credential `console_session`. */
  async find(request: Request): Promise<LiveConsoleSession | null> {
    if (!acceptsCredential(request, 'console_session')) return null;
    const token = this.cookie.read(request);
    return token ? this.sessions.findLive(hashOpaqueToken(token), IDLE_SECONDS) : null;
  }

  /** Begins a new session in this browser; the one that it replaces ends. @throws ProofOutdated */
  async begin(request: Request, response: Response, proof: Proof, facts: ConsoleSignIn): Promise<void> {
    const replaced = await this.find(request);
    const { token, hash } = newOpaqueToken(this.randomness);
    await this.transactions.run(async (tx) => {
      const held = await this.proofs.hold(tx, proof);
      if (replaced) await this.sessions.end(tx, replaced.id);
      await this.sessions.insert(tx, held, { id: this.randomness.uuid(), tokenHash: hash, ...facts }, ABSOLUTE_SECONDS);
    });
    this.cookie.write(response, token);
  }

  /**
   * If the same operator has authenticated again, the session continues, also while impersonating. Otherwise a new one
   * begins. @throws ProofOutdated
   */
  async renew(request: Request, response: Response, proof: Proof, facts: ConsoleSignIn): Promise<void> {
    const presented = this.cookie.read(request);
    const { token, hash } = newOpaqueToken(this.randomness);
    const isRenewed =
      presented !== null &&
      (await this.transactions.run(async (tx) => {
        const held = await this.proofs.hold(tx, proof);
        const renewed = { ...facts, tokenHash: hash };
        return this.sessions.renew(tx, held, hashOpaqueToken(presented), renewed, IDLE_SECONDS);
      }));
    if (isRenewed) this.cookie.write(response, token);
    else await this.begin(request, response, proof, facts);
  }

  /** @returns false if it has already ended */
  end(tx: EntityManager, session: LiveConsoleSession): Promise<boolean> {
    return this.sessions.end(tx, session.id);
  }

  clearCookie(response: Response): void {
    this.cookie.clear(response);
  }

  /** @returns the cookie's new value for {@link send}, or null if the session is impersonating already */
  async beginImpersonation(
    tx: EntityManager,
    session: LiveConsoleSession,
    impersonation: Omit<Impersonation, 'until'>,
    seconds: number,
  ): Promise<string | null> {
    const { token, hash } = newOpaqueToken(this.randomness);
    return (await this.sessions.beginImpersonation(tx, session.id, hash, impersonation, seconds)) ? token : null;
  }

  /** @returns the cookie's new value for {@link send}, or null where another request was first */
  async endImpersonation(tx: EntityManager, session: LiveConsoleSession): Promise<string | null> {
    const { token, hash } = newOpaqueToken(this.randomness);
    return (await this.sessions.endImpersonation(tx, session.id, hash)) ? token : null;
  }

  /** Whether this impersonation of the user goes on. Another one of the same tenant or app does not count. */
  isImpersonating(userId: string, impersonation: Pick<Impersonation, 'type' | 'id' | 'until'>): Promise<boolean> {
    return this.sessions.isImpersonating(userId, impersonation);
  }

  /** Called after the commit. */
  send(response: Response, token: string): void {
    this.cookie.write(response, token);
  }

  /** Message for the next page. */
  setFlash(session: LiveConsoleSession, flash: Flash): Promise<void> {
    return this.sessions.setFlash(session.id, flash);
  }

  /** Clears the message that was read with the session, but not a newer one. */
  async clearFlash(session: LiveConsoleSession): Promise<void> {
    if (session.flash) await this.sessions.clearFlash(session.id, session.flash);
  }
}
