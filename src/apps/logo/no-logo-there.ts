/** The address has no image that can be a logo, or the service must not call it. */
export class NoLogoThere extends Error {
  override readonly name = 'NoLogoThere';
}
