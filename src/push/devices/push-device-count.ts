import { Injectable } from '@nestjs/common';
import { ImpactCount } from '../../users/impact-count.js';
import { PushDevicesRepository } from './push-devices.repository.js';

@Injectable()
export class PushDeviceCount extends ImpactCount {
  readonly name = 'push_devices';

  constructor(private readonly devices: PushDevicesRepository) {
    super();
  }

  count(userId: string): Promise<number> {
    return this.devices.countOfUser(userId);
  }
}
