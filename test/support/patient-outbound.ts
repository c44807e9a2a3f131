import { DEFAULT_OUTBOUND_OPTIONS, OUTBOUND_OPTIONS } from '../../src/outbound/outbound-options.js';
import type { TestAppOptions } from './test-app.js';

/** A little less than the queues give an attempt. */
const PATIENT_MS = 38_000;

/**
 * For tests in which receivers hang and all else must happen meanwhile, which on a busy machine takes longer than the time
 * limit of an attempt.
 */
export class PatientOutbound {
  private readonly options: { postTimeoutMs: number } = { ...DEFAULT_OUTBOUND_OPTIONS };

  readonly override: NonNullable<TestAppOptions['override']> = (builder) =>
    builder.overrideProvider(OUTBOUND_OPTIONS).useValue(this.options);

  /** Requests that begin during the work may hang for longer. */
  async whilePatient(work: () => Promise<void>): Promise<void> {
    this.options.postTimeoutMs = PATIENT_MS;
    try {
      await work();
    } finally {
      this.options.postTimeoutMs = DEFAULT_OUTBOUND_OPTIONS.postTimeoutMs;
    }
  }
}
