/** The service will not call this address; nothing was sent. */
export class TargetRefused extends Error {
  override readonly name = 'TargetRefused';
}
