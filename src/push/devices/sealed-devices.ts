import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Randomness } from '../../common/randomness.js';
import { SecretBox } from '../../crypto/secret-box.js';
import type { PushDevice } from './push-device.entity.js';
import { PushDevicesRepository, type RemovedDevice } from './push-devices.repository.js';

/** The rows of devices, with their push tokens sealed. */
@Injectable()
export class SealedDevices {
  constructor(
    private readonly devices: PushDevicesRepository,
    private readonly box: SecretBox,
    private readonly randomness: Randomness,
  ) {}

  /** @returns the device's id, the same for the same push token, and what is new about it */
  register(
    tx: EntityManager,
    device: Pick<PushDevice, 'appId' | 'userId' | 'platform' | 'tokenHash'>,
    pushToken: string,
  ): ReturnType<PushDevicesRepository['register']> {
    const row = { id: this.randomness.uuid(), ...device };
    return this.devices.register(tx, row, (deviceId) => sealPushToken(this.box, deviceId, pushToken));
  }

  /** See {@link PushDevicesRepository.removeBeyond}. */
  removeBeyond(tx: EntityManager, whose: Pick<PushDevice, 'userId' | 'appId'>): Promise<RemovedDevice[]> {
    return this.devices.removeBeyond(tx, whose);
  }

  /** The push token itself, for delivery. */
  open(deviceId: string, sealedToken: string): string {
    return this.box.open(sealedToken, aadOfPushToken(deviceId));
  }
}

export function sealPushToken(box: SecretBox, deviceId: string, pushToken: string): string {
  return box.seal(pushToken, aadOfPushToken(deviceId));
}

/** Additional authenticated data of an encrypted push token. */
export function aadOfPushToken(deviceId: string): string {
  return `push_devices:${deviceId}`;
}
