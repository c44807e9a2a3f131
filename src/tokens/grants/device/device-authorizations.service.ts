import { Inject, Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { allowsDeviceGrant } from '../../../apps/settings/app-config.rules.js';
import type { RegisteredClient } from '../../../apps/directory/app-directory.js';
import { Randomness } from '../../../common/randomness.js';
import type { RequestContext } from '../../../common/request-context.js';
import { SETTINGS, type Settings } from '../../../config/settings.js';
import { newOpaqueToken } from '../../../crypto/opaque-token.js';
import { SecretBox } from '../../../crypto/secret-box.js';
import { clientAddressKey } from '../../../rate-limits/client-address.js';
import { RateLimitsService } from '../../../rate-limits/rate-limits.service.js';
import type { HeldProof } from '../../../users/proof-guard.js';
import type { DeviceAuthorizationResponse } from '../../protocol/token-response.view.js';
import { grantedScope } from '../../protocol/scopes.rules.js';
import { findResource } from '../../protocol/resource.rules.js';
import { InvalidScope, InvalidTarget, UnauthorizedClient } from '../../protocol/tokens.errors.js';
import {
  DeviceAuthorizationsRepository,
  type NewDeviceAuthorization,
  type WaitingDevice,
} from './device-authorizations.repository.js';
import type { SignInFacts } from '../issuance/grant.js';
import { hashUserCode, newUserCode, readUserCode, shownUserCode } from './user-code.rules.js';

/** Time to sign in elsewhere, including setting up a second factor. */
const LIFETIME_SECONDS = 900;
const INTERVAL_SECONDS = 5;
/** Each pending device occupies one of 25 thousand million codes. */
const MAX_TRIES = 3;

/** Devices that request a sign-in (RFC 8628): their codes, and the answers of users. */
@Injectable()
export class DeviceAuthorizations {
  constructor(
    private readonly devices: DeviceAuthorizationsRepository,
    private readonly limits: RateLimitsService,
    private readonly box: SecretBox,
    private readonly randomness: Randomness,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  /**
   * Counted by app if the app authenticates with its secret, otherwise by network address, because a caller can name
   * any app.
   * @throws RateLimited, UnauthorizedClient, InvalidTarget, InvalidScope
   */
  async begin(
    ctx: RequestContext,
    client: RegisteredClient,
    requested: { readonly scope: string | null; readonly resource: string | null; readonly isProven: boolean },
  ): Promise<DeviceAuthorizationResponse> {
    const { app } = client;
    await this.limits.consume('device_requests', requested.isProven ? app.id : clientAddressKey(ctx.ip));
    if (!allowsDeviceGrant(app)) throw new UnauthorizedClient();
    const resource = requested.resource === null ? null : findResource(client, requested.resource);
    if (requested.resource !== null && !resource) throw new InvalidTarget();
    const scope = grantedScope(requested.scope, resource?.scopes);
    // As at /login: none of the requested scopes exists for users (RFC 6749 section 5.2).
    if (requested.scope !== null && scope === '') throw new InvalidScope(requested.scope);
    const { token, hash } = newOpaqueToken(this.randomness);
    const code = await this.insert(ctx, hash, {
      appId: app.id,
      scope,
      resource: resource?.identifier ?? null,
    });
    const uri = `${this.settings.baseUrl}/device`;
    return {
      device_code: token,
      user_code: shownUserCode(code),
      verification_uri: uri,
      verification_uri_complete: `${uri}?user_code=${shownUserCode(code)}`,
      expires_in: LIFETIME_SECONDS,
      interval: INTERVAL_SECONDS,
    };
  }

  /** The pending device with this code. @param typed by a user */
  async findByUserCode(typed: string): Promise<WaitingDevice | null> {
    const code = readUserCode(typed);
    return code === null ? null : this.devices.findByUserCode(hashUserCode(code));
  }

  /** Null if it was answered, or has expired. */
  find(id: string, tx?: EntityManager): Promise<WaitingDevice | null> {
    return this.devices.find(id, tx);
  }

  /** In the format that the device shows. */
  userCodeOf({ id, userCodeSealed }: WaitingDevice): string {
    return shownUserCode(this.box.open(userCodeSealed, aadOfUserCode(id)));
  }

  /** Called in the transaction that completes the sign-in. @returns whether the device was still pending */
  approve(
    tx: EntityManager,
    held: HeldProof,
    id: string,
    facts: Pick<SignInFacts, 'authTime' | 'amr' | 'sid'>,
  ): Promise<boolean> {
    return this.devices.approve(tx, held, id, facts);
  }

  /** @returns whether the device was still pending */
  deny(tx: EntityManager, id: string): Promise<boolean> {
    return this.devices.deny(tx, id);
  }

  /** @returns the user code */
  private async insert(
    ctx: RequestContext,
    hash: Buffer,
    requested: Pick<NewDeviceAuthorization, 'appId' | 'scope' | 'resource'>,
  ): Promise<string> {
    const id = this.randomness.uuid();
    for (let left = MAX_TRIES; left > 0; left--) {
      const code = newUserCode(this.randomness);
      const device = {
        id,
        deviceCodeHash: hash,
        userCodeHash: hashUserCode(code),
        userCodeSealed: this.box.seal(code, aadOfUserCode(id)),
        ...requested,
        ipAddress: ctx.ip,
        userAgent: ctx.userAgent,
        intervalSeconds: INTERVAL_SECONDS,
      };
      if (await this.devices.insert(device, LIFETIME_SECONDS)) return code;
    }
    throw new Error('No user code is free');
  }
}

/** Additional authenticated data of the encrypted code, also for `secret-key rotate`. */
export function aadOfUserCode(id: string): string {
  return `device_authorizations:${id}`;
}
