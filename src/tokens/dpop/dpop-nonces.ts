import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { Clock } from '../../common/clock.js';
import { SETTINGS, type Settings } from '../../config/settings.js';

const STEP_SECONDS = 60;
/** Number of steps for which a nonce is accepted, including its own. */
const STEPS = 5;

/**
 * DPoP nonces (RFC 9449 sections 8 and 9): the number of a minute with a MAC under a key that all processes share, so
 * that each process accepts those of the others and none is stored. Uses the database's clock.
 */
@Injectable()
export class DpopNonces {
  private readonly keys: readonly Buffer[];
  private issued: { readonly step: number; readonly nonce: string } | null = null;

  constructor(
    private readonly clock: Clock,
    @Inject(SETTINGS) { secretKey, secretKeyPrevious }: Settings,
  ) {
    const secrets = [secretKey, secretKeyPrevious].filter((secret) => secret !== null);
    this.keys = secrets.map((secret) => Buffer.from(hkdfSync('sha256', secret, '', 'dpop-nonce', 32)));
  }

  current(): string {
    const step = this.step();
    if (this.issued?.step !== step)
      this.issued = { step, nonce: `${step.toString(36)}.${codeOf(step, this.keys[0]!)}` };
    return this.issued.nonce;
  }

  /** @returns Unix seconds until which the nonce is accepted; null: it is invalid or too old */
  judge(nonce: string): number | null {
    const [number = '', code = ''] = nonce.split('.');
    const step = parseInt(number, 36);
    const age = this.step() - step;
    // A process whose clock is slightly ahead may have issued it.
    if (!(age >= -1 && age < STEPS)) return null;
    return this.keys.some((key) => isSame(codeOf(step, key), code)) ? (step + STEPS + 1) * STEP_SECONDS : null;
  }

  private step(): number {
    return Math.floor(this.clock.seconds() / STEP_SECONDS);
  }
}

function codeOf(step: number, key: Buffer): string {
  return createHmac('sha256', key).update(String(step)).digest().subarray(0, 16).toString('base64url');
}

function isSame(one: string, other: string): boolean {
  const [bytes, others] = [Buffer.from(one), Buffer.from(other)];
  return bytes.length === others.length && timingSafeEqual(bytes, others);
}
