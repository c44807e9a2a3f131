import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { SigningKeys } from './signing-keys.js';

/** Web and worker do not start without a signing key. The command line does, because it can create one. */
@Injectable()
export class SigningKeyAtStart implements OnApplicationBootstrap {
  constructor(private readonly keys: SigningKeys) {}

  onApplicationBootstrap(): void {
    this.keys.current();
  }
}
