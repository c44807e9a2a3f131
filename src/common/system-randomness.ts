import { randomBytes, randomFillSync } from 'node:crypto';
import { v7 } from 'uuid';
import { Randomness } from './randomness.js';

const UUID_BYTES = 16;
/** Random bytes are read in bulk, because each call of the generator costs much more than the bytes. */
const POOL_BYTES = 256 * UUID_BYTES;

export class SystemRandomness extends Randomness {
  private readonly pool = Buffer.alloc(POOL_BYTES);
  private used = POOL_BYTES;
  private milliseconds = 0;
  private sequence = 0;

  override bytes(size: number): Buffer {
    return randomBytes(size);
  }

  /** The UUIDs of one process ascend, also within a millisecond (RFC 9562 section 6.2, method 2). */
  override uuid(): string {
    const random = this.take();
    const now = Date.now();
    if (now > this.milliseconds) {
      this.milliseconds = now;
      // The highest bit is 0, so that the sequence can be incremented.
      this.sequence = random.readUInt32BE(6) & 0x7fff_ffff;
    } else {
      this.sequence = (this.sequence + 1) >>> 0;
      if (this.sequence === 0) this.milliseconds++;
    }
    return v7({ random, msecs: this.milliseconds, seq: this.sequence });
  }

  /** No byte is used twice. */
  private take(): Buffer {
    if (this.used === POOL_BYTES) {
      randomFillSync(this.pool);
      this.used = 0;
    }
    return this.pool.subarray(this.used, (this.used += UUID_BYTES));
  }
}
