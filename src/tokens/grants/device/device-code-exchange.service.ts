import { Injectable } from '@nestjs/common';
import { allowsDeviceGrant } from '../../../apps/settings/app-config.rules.js';
import type { RegisteredClient } from '../../../apps/directory/app-directory.js';
import type { RequestContext } from '../../../common/request-context.js';
import { RateLimited } from '../../../rate-limits/rate-limited.js';
import type { ClientCredentials } from '../../clients/client-authenticator.js';
import {
  AuthorizationPending,
  DeviceCodeExpired,
  DeviceSignInDenied,
  InvalidClient,
  InvalidGrant,
  InvalidTarget,
  SlowDown,
  UnauthorizedClient,
} from '../../protocol/tokens.errors.js';
import { CodeFailures } from '../authorization-code/code-failures.js';
import { type DevicePoll, DeviceGrants, type PollOutcome } from './device-grants.js';
import type { Grant } from '../issuance/grant.js';

/** Polls at the token endpoint by the client with the device code (RFC 8628 section 3.4). */
@Injectable()
export class DeviceCodeExchange {
  constructor(
    private readonly devices: DeviceGrants,
    private readonly failures: CodeFailures,
  ) {}

  /**
   * Unknown codes and wrong clients count as failures; polling while the device is pending does not.
   * @throws RateLimited, InvalidClient, UnauthorizedClient, InvalidGrant, InvalidTarget, AuthorizationPending,
   * SlowDown, DeviceSignInDenied, DeviceCodeExpired
   */
  async exchange(ctx: RequestContext, credentials: ClientCredentials, poll: DevicePoll): Promise<Grant> {
    const outcome = await this.watch(ctx, credentials, poll);
    if ('grant' in outcome) return outcome.grant;
    switch (outcome.refusal) {
      case 'denied':
        throw new DeviceSignInDenied();
      case 'expired':
        throw new DeviceCodeExpired();
      case 'early':
        throw new SlowDown();
      case 'unknown':
      case 'target':
      case 'waiting':
        throw new AuthorizationPending();
    }
  }

  /** A device that waits goes on polling after a 429: any other error than `slow_down` would end that. */
  private async watch(ctx: RequestContext, credentials: ClientCredentials, poll: DevicePoll): Promise<PollOutcome> {
    const isKnown = () => this.devices.isKnown(poll.deviceCode);
    const work = (client: RegisteredClient | null) => this.poll(client, poll, credentials);
    try {
      return await this.failures.watch(ctx, credentials, isKnown, work);
    } catch (error) {
      if (!(error instanceof RateLimited)) throw error;
      if (!(await this.devices.isPolled(poll.deviceCode, credentials.clientId))) throw error;
      throw new RateLimited(error.message, error.retryAfterSeconds, 'slow_down');
    }
  }

  private async poll(
    client: RegisteredClient | null,
    poll: DevicePoll,
    { key }: ClientCredentials,
  ): Promise<PollOutcome> {
    if (!client) throw new InvalidClient();
    if (!allowsDeviceGrant(client.app)) throw new UnauthorizedClient();
    const outcome = await this.devices.poll(client, poll, key?.jkt ?? null);
    if ('refusal' in outcome && outcome.refusal === 'unknown') throw new InvalidGrant('Invalid device_code');
    if ('refusal' in outcome && outcome.refusal === 'target') throw new InvalidTarget();
    return outcome;
  }
}
