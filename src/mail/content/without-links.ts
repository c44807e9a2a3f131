import { oneLine } from '../../common/one-line.js';

/**
 * One line that mail programs show as it is. They turn `a.example` and `http://…` into links; a zero-width space after
 * dots and colons prevents that. Some also treat the dots of Chinese and Japanese like those of a host name (UTS #46,
 * section 2.3). Line breaks would make paragraphs of the name's author, and bidirectional controls reorder the words
 * after the name.
 */
export function withoutLinks(name: string): string {
  return oneLine(name).replace(/[.:/@\u3002\uff0e\uff61]/g, (character) => `${character}\u200b`);
}
