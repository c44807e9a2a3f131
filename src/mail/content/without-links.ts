/**
 * Mail programs turn `a.example` and `http://…` into links; a zero-width blank behind dots and colons stops them. Some also take the
 * dots of Chinese and Japanese for those of a host (UTS #46, section 2.3).
 */
export function withoutLinks(name: string): string {
  return name.replace(/[\r\n\t]+/g, ' ').replace(/[.:/@\u3002\uff0e\uff61]/g, (character) => `${character}\u200b`);
}
