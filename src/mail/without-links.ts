/** Mail programs turn `a.example` and `http://…` into links; a zero-width blank behind dots and colons stops them. */
export function withoutLinks(name: string): string {
  return name.replace(/[\r\n\t]+/g, ' ').replace(/[.:/@]/g, (character) => `${character}\u200b`);
}
