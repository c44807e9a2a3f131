import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { RegisteredClient } from '../../../apps/directory/app-directory.js';
import { EnrollmentService } from '../../../enrollment/memberships/enrollment.service.js';
import type { Proof } from '../../../users/proof.js';
import { type HeldProof, ProofGuard } from '../../../users/proof-guard.js';
import { ProofOutdated } from '../../../users/proof-outdated.js';
import { UsersService } from '../../../users/users.service.js';
import { type ConsumedCode } from './authorization-codes.repository.js';
import { Consents } from '../consent/consents.service.js';
import type { Grant } from '../issuance/grant.js';
import { RefreshTokensService } from '../refresh/refresh-tokens.service.js';

export interface CodeRedemption {
  readonly code: string;
  readonly codeVerifier: string | null;
  /** Compared if the client sends it. */
  readonly redirectUri: string | null;
  /** RFC 8707; compared if the client sends it. */
  readonly resource: string | null;
  /** Sent at the exchange by an app that sent none at the sign-in. */
  readonly deviceId: string | null;
  /** Thumbprint of the DPoP key of the client; null: none. */
  readonly jkt: string | null;
}

/** What a code was exchanged for, with the proof on which it is based. */
export interface RedeemedCode {
  readonly grant: Grant;
  readonly proof: Proof;
}

/** The sign-in of a code: an authorization code, or a device code that a user has approved. */
export type GrantedSignIn = Pick<
  ConsumedCode,
  | 'user_id'
  | 'credentials_version'
  | 'device_id'
  | 'scope'
  | 'resource'
  | 'claims'
  | 'nonce'
  | 'auth_time'
  | 'amr'
  | 'sid'
>;

export type CodeRedemptionOutcome = RedeemedCode | { readonly refusal: 'code' | 'verifier' | 'target' };

/** Creates the grant for a code, if its conditions still hold. */
@Injectable()
export class CodeGrants {
  constructor(
    private readonly refreshTokens: RefreshTokensService,
    private readonly users: UsersService,
    private readonly proofs: ProofGuard,
    private readonly enrollment: EnrollmentService,
    private readonly consents: Consents,
  ) {}

  async grant(
    tx: EntityManager,
    client: RegisteredClient,
    code: GrantedSignIn,
    redemption: Pick<CodeRedemption, 'deviceId' | 'jkt'>,
    familyId: string,
  ): Promise<CodeRedemptionOutcome> {
    const { app } = client;
    const held = await this.hold(tx, code);
    const user = held && (await this.users.find(held.userId, tx));
    const entry = user && (await this.enrollment.admitHeld(tx, user, client));
    if (!held || !user || entry?.admission !== 'admitted') return { refusal: 'code' };
    const allowed = await this.consents.narrow(tx, app, held.userId, code);
    if (!allowed) return { refusal: 'code' };
    const { jkt } = redemption;
    const facts = {
      appId: app.id,
      dpopJkt: jkt,
      deviceId: code.device_id ?? redemption.deviceId,
      scope: allowed.scope,
      resource: code.resource,
      claims: allowed.claims,
      authTime: code.auth_time,
      amr: code.amr,
      sid: code.sid,
    };
    const signIn = { user, roles: entry.roles, app, facts, nonce: code.nonce, jkt };
    return { grant: await this.refreshTokens.begin(tx, held, signIn, familyId), proof: held };
  }

  /** Locks the proof on which the code is based, which may be a minute old. @returns null if it is outdated */
  private async hold(tx: EntityManager, code: GrantedSignIn): Promise<HeldProof | null> {
    try {
      return await this.proofs.hold(tx, { userId: code.user_id, credentialsVersion: code.credentials_version });
    } catch (error) {
      if (error instanceof ProofOutdated) return null;
      throw error;
    }
  }
}
