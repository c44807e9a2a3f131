/** The provider is down or slow, or its answer fails a check. Only the log contains the reason. */
export class ProviderFault extends Error {
  constructor(reason: string, cause?: unknown) {
    super(reason, { cause });
    this.name = 'ProviderFault';
  }
}
