/**
 * Mail programs turn `a.example` and `http://…` into links. A zero-width space after dots and colons prevents that.
 * Some programs also treat the dots of Chinese and Japanese like those of a host name (UTS #46, section 2.3).
 */
export function withoutLinks(name: string): string {
  return name.replace(/[\r\n\t]+/g, ' ').replace(/[.:/@\u3002\uff0e\uff61]/g, (character) => `${character}\u200b`);
}
