/** Nothing that could be a logo stands at the address, or the service must not call it. */
export class NoLogoThere extends Error {
  override readonly name = 'NoLogoThere';
}
