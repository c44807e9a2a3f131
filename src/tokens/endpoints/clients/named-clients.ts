import { Injectable } from '@nestjs/common';
import { ClientIds } from '../../../apps/self-registered/client-ids.service.js';
import { hashOpaqueToken, isOpaqueToken } from '../../../crypto/opaque-token.js';
import { AuthorizationCodesRepository } from '../../grants/authorization-code/authorization-codes.repository.js';
import { DeviceAuthorizationsRepository } from '../../grants/device/device-authorizations.repository.js';
import { RefreshFamiliesRepository } from '../../grants/token-family/refresh-families.repository.js';
import { TokenVerifier } from '../../jwt/token-verifier.js';
import { appIdOf } from '../../jwt/token-app.rules.js';

/** What a request presents besides the `client_id`. Each of them was issued to one app. */
export interface PresentedGrant {
  /** A refresh token, or an access token to revoke. */
  readonly token?: string | undefined;
  readonly code?: string | undefined;
  readonly deviceCode?: string | undefined;
}

/** Translates the `client_id` of a request to its app (see `ClientIds`). */
@Injectable()
export class NamedClients {
  constructor(
    private readonly clientIds: ClientIds,
    private readonly families: RefreshFamiliesRepository,
    private readonly codes: AuthorizationCodesRepository,
    private readonly devices: DeviceAuthorizationsRepository,
    private readonly verifier: TokenVerifier,
  ) {}

  /**
   * The grant determines the app: any tenant can be made to know a client that publishes its metadata, and must not get
   * in the way of its sign-ins elsewhere. The app then refuses another resource than that of the grant with
   * `invalid_target`, and the client keeps its refresh token (RFC 8707 section 2).
   * @param resource determines the tenant if no grant of the client is presented
   */
  async find(clientId: string, resource: string | null, grant: PresentedGrant): Promise<string> {
    const held = await this.clientIds.findHolder(clientId, () => this.holderOf(grant));
    if (held !== clientId) return held;
    const found = resource === null ? clientId : await this.clientIds.find(clientId, resource);
    return found === clientId ? this.clientIds.find(clientId, null) : found;
  }

  private async holderOf({ token, code, deviceCode }: PresentedGrant): Promise<string | null> {
    if (token) return this.holderOfToken(token);
    if (code) return this.codes.findApp(hashOpaqueToken(code));
    return deviceCode ? this.devices.findApp(hashOpaqueToken(deviceCode)) : null;
  }

  private async holderOfToken(token: string): Promise<string | null> {
    if (isOpaqueToken(token)) return (await this.families.findByToken(hashOpaqueToken(token)))?.appId ?? null;
    const verification = await this.verifier.verifyIssued(token);
    if ('fault' in verification || verification.claims.token_use !== 'access') return null;
    return appIdOf(verification.claims);
  }
}
