import { Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { AppDirectory } from '../../apps/app-directory.js';
import { EntryCache } from '../../enrollment/entry-cache.js';
import { TokenVerifier } from '../../tokens/token-verifier.js';
import type { User } from '../../users/user.entity.js';
import { UsersService } from '../../users/users.service.js';
import { SsoSessionsService } from '../session/sso-sessions.service.js';
import type { Evidence } from './acceptance.rules.js';

export interface SignedIn {
  readonly user: User;
  /** When and how they proved who they are. */
  readonly authTime: Date;
  readonly amr: readonly string[];
  readonly evidence: Evidence;
}

/** Who sends a request that anybody may send: by access token, else by SSO session. */
@Injectable()
export class SignedInPerson {
  constructor(
    private readonly sessions: SsoSessionsService,
    private readonly verifier: TokenVerifier,
    private readonly entries: EntryCache,
    private readonly directory: AppDirectory,
    private readonly users: UsersService,
  ) {}

  /** Null also for a token that is no good any more. */
  async find(request: Request): Promise<SignedIn | null> {
    return (await this.byToken(request.headers.authorization)) ?? (await this.bySession(request));
  }

  async bySession(request: Request): Promise<SignedIn | null> {
    const session = await this.sessions.find(request);
    const user = session && (await this.users.find(session.userId));
    if (!user?.isActive) return null;
    return { user, authTime: session!.authTime, amr: session!.amr, evidence: { kind: 'session' } };
  }

  private async byToken(authorization: string | undefined): Promise<SignedIn | null> {
    const token = /^bearer +([^\s]+)$/i.exec(authorization ?? '')?.[1];
    const verification = token ? await this.verifier.verify(token) : null;
    if (!verification || 'fault' in verification || verification.claims.token_use !== 'access') return null;
    const { sub, aud, iat, auth_time, amr } = verification.claims;
    const [admission, known, user] = await Promise.all([
      this.entries.admission(sub, aud, iat),
      this.directory.find(aud),
      this.users.find(sub),
    ]);
    if (admission !== 'admitted' || !known || !user) return null;
    return { user, authTime: new Date(auth_time * 1000), amr, evidence: { kind: 'token', audience: known.app } };
  }
}
