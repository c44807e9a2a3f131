/** The provider is down, slow, or sends what no check accepts. Only the log says what was wrong. */
export class ProviderFault extends Error {
  constructor(reason: string, cause?: unknown) {
    super(reason, { cause });
    this.name = 'ProviderFault';
  }
}
