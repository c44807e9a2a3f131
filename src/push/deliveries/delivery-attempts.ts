import { Injectable, Logger } from '@nestjs/common';
import { failureReason } from '../../delivery/engine/failure-reason.js';
import { SealedDevices } from '../devices/sealed-devices.js';
import type { AttemptResponse } from '../transports/push-transport.js';
import { PushSender, type SendingSettings } from './push-sender.js';
import { type LeasedDelivery } from './deliveries.repository.js';

/** A delivery with the credentials of its app, which are decrypted once for all that were leased together. */
export interface SendableDelivery extends LeasedDelivery {
  readonly settings: SendingSettings;
}

/** Sends a delivery to its device. */
@Injectable()
export class DeliveryAttempts {
  private readonly logger = new Logger(DeliveryAttempts.name);

  constructor(
    private readonly devices: SealedDevices,
    private readonly sender: PushSender,
  ) {}

  /** Never rejects: an unexpected error counts as a temporary failure and is retried like one. */
  async send(delivery: SendableDelivery): Promise<AttemptResponse> {
    try {
      const token = this.devices.open(delivery.deviceId, delivery.sealedToken!);
      return await this.sender.send(delivery, token, delivery.settings);
    } catch (error) {
      this.logger.error(`Delivery ${delivery.id}: ${failureReason(error)}`);
      return { kind: 'refused', status: 500, retryAfter: null };
    }
  }
}
