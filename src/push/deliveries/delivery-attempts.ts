import { Injectable, Logger } from '@nestjs/common';
import { failureReason } from '../../delivery/engine/failure-reason.js';
import { SealedDevices } from '../devices/sealed-devices.js';
import type { AttemptAnswer } from '../transports/push-transport.js';
import { PushSender, type SendingSettings } from './push-sender.js';
import { type LeasedDelivery } from './deliveries.repository.js';

/** A delivery with what its app sends with, opened once for all that were leased together. */
export interface DeliveryInHand extends LeasedDelivery {
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

  /** Never rejects: what nobody thought of counts as a failure of today, and is tried again like one. */
  async send(delivery: DeliveryInHand): Promise<AttemptAnswer> {
    try {
      const token = this.devices.open(delivery.deviceId, delivery.sealedToken!);
      return await this.sender.send(delivery, token, delivery.settings);
    } catch (error) {
      this.logger.error(`Delivery ${delivery.id}: ${failureReason(error)}`);
      return { kind: 'refused', status: 500, retryAfter: null };
    }
  }
}
