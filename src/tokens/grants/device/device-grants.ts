import { Injectable } from '@nestjs/common';
import type { RegisteredClient } from '../../../apps/directory/app-directory.js';
import { Randomness } from '../../../common/randomness.js';
import { hashOpaqueToken } from '../../../crypto/opaque-token.js';
import { Transactions } from '../../../database/transactions.js';
import { CodeGrants } from '../authorization-code/code-grants.js';
import { DeviceAuthorizationsRepository, type PolledDevice } from './device-authorizations.repository.js';
import type { Grant } from '../issuance/grant.js';

/**
 * A client measures the interval from the answer, the service from the request: a request that arrives faster the
 * second time is not early.
 */
const TOLERATED_SECONDS = 1;
/** RFC 8628 section 3.5. */
const ADDED_SECONDS = 5;

/** What a client sends to the token endpoint. */
export interface DevicePoll {
  readonly deviceCode: string;
  /** RFC 8707; compared if the client sends it. */
  readonly resource: string | null;
}

export type DeviceRefusal = 'unknown' | 'target' | 'denied' | 'expired' | 'early' | 'waiting';

export type PollOutcome = { readonly grant: Grant } | { readonly refusal: DeviceRefusal };

/**
 * The result of a poll (RFC 8628 section 3.5). Another resource than that of the sign-in is refused before the code is
 * used up (RFC 8707 section 2.2).
 */
function judgePoll(device: PolledDevice | null, resource: string | null): DeviceRefusal | 'approved' {
  if (!device) return 'unknown';
  if (resource !== null && resource !== device.resource) return 'target';
  if (device.isDenied) return 'denied';
  if (device.isExpired) return 'expired';
  if (device.isApproved) return 'approved';
  return device.isEarly ? 'early' : 'waiting';
}

/** Polls of devices. The first one after the user's approval gets the tokens. */
@Injectable()
export class DeviceGrants {
  constructor(
    private readonly devices: DeviceAuthorizationsRepository,
    private readonly grants: CodeGrants,
    private readonly transactions: Transactions,
    private readonly randomness: Randomness,
  ) {}

  async isKnown(deviceCode: string): Promise<boolean> {
    return (await this.devices.findApp(hashOpaqueToken(deviceCode))) !== null;
  }

  /** Whether a device of the app is to go on polling with the code. */
  async isPolled(deviceCode: string, appId: string): Promise<boolean> {
    return (await this.devices.findAppThatPolls(hashOpaqueToken(deviceCode))) === appId.toLowerCase();
  }

  /** @param jkt thumbprint of the client's DPoP key; null: none */
  async poll(client: RegisteredClient, { deviceCode, resource }: DevicePoll, jkt: string | null): Promise<PollOutcome> {
    const hash = hashOpaqueToken(deviceCode);
    const seconds = { tolerated: TOLERATED_SECONDS, added: ADDED_SECONDS };
    const verdict = judgePoll(await this.devices.poll(hash, client.app.id, seconds), resource);
    return verdict === 'approved' ? this.redeem(client, hash, jkt) : { refusal: verdict };
  }

  /** The conditions must still hold: nothing is issued if the user was suspended or has a new password since. */
  private redeem(client: RegisteredClient, hash: Buffer, jkt: string | null): Promise<PollOutcome> {
    return this.transactions.run(async (tx) => {
      const device = await this.devices.consume(tx, hash, client.app.id);
      if (!device) return { refusal: 'unknown' };
      const signIn = { ...device, device_id: null, claims: null, nonce: null };
      const redemption = { deviceId: null, jkt };
      const outcome = await this.grants.grant(tx, client, signIn, redemption, this.randomness.uuid());
      return 'grant' in outcome ? { grant: outcome.grant } : { refusal: 'denied' };
    });
  }
}
