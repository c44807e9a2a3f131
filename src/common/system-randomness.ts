import { randomBytes } from 'node:crypto';
import { v7 } from 'uuid';
import { Randomness } from './randomness.js';

export class SystemRandomness extends Randomness {
  override bytes(size: number): Buffer {
    return randomBytes(size);
  }

  override uuid(): string {
    return v7();
  }
}
