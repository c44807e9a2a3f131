import { Injectable } from '@nestjs/common';
import { Clock } from '../../../../common/clock.js';
import { Randomness } from '../../../../common/randomness.js';
import { SecretBox } from '../../../../crypto/secret-box.js';
import { aadOfTotpSecret } from './second-factor.rules.js';
import { judgeTotp, newTotpSecret } from './totp.js';

/** Shared secrets of authenticator apps (RFC 6238), encrypted for their user. */
@Injectable()
export class TotpSecrets {
  constructor(
    private readonly box: SecretBox,
    private readonly randomness: Randomness,
    private readonly clock: Clock,
  ) {}

  /** @returns the secret in base 32, and in its stored form */
  create(userId: string): { secret: string; sealed: string } {
    const secret = newTotpSecret(this.randomness);
    return { secret, sealed: this.box.seal(secret, aadOfTotpSecret(userId)) };
  }

  /**
   * @returns the secret in base 32
   * @throws if it was encrypted with another SECRET_KEY or for another user
   */
  open(userId: string, sealed: string): string {
    return this.box.open(sealed, aadOfTotpSecret(userId));
  }

  /** @returns the time step of the code; null if it is wrong */
  judge(userId: string, sealed: string, code: string): number | null {
    return judgeTotp(this.open(userId, sealed), code, this.clock.seconds());
  }
}
