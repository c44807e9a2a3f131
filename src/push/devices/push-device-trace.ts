import { Injectable } from '@nestjs/common';
import { UserTrace } from '../../users/user-trace.js';
import { PushDevicesRepository } from './push-devices.repository.js';

@Injectable()
export class PushDeviceTrace extends UserTrace {
  readonly name = 'push_devices';

  constructor(private readonly devices: PushDevicesRepository) {
    super();
  }

  count(userId: string): Promise<number> {
    return this.devices.countOfUser(userId);
  }
}
