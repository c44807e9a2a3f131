/** The address has no usable image, or the service must not call it. */
export class NoLogoThere extends Error {
  override readonly name = 'NoLogoThere';
}
