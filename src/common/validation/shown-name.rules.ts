import { InvalidInput } from './invalid-input.js';

/** Direction marks, what is not seen, and heaps of accents: with them a name looks like another one, or spills over the page. */
const UNFIT = /[\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]|\p{M}{4}/u;

/** Joiners and selectors that belong to emoji, and to words of scripts that are written with them (Persian, Hindi). */
const BELONGS =
  /(?<=\p{Extended_Pictographic}|\p{Emoji_Modifier}|\ufe0f)(?:\u200d|\ufe0f)|(?<=[\p{L}\p{M}])(?<![\p{sc=Latn}\p{sc=Grek}\p{sc=Cyrl}])[\u200c\u200d](?=\p{L})/gu;

export const UNFIT_NAME = 'value has characters that cannot be seen or that change the direction of the text';

/** Whether an app or a tenant may take this name. */
export function isFitForName(name: string): boolean {
  return !UNFIT.test(name.replace(BELONGS, ''));
}

/** One that has it already keeps it. @param name undefined: it does not change @throws InvalidInput */
export function checkNewName(name: string | undefined, before: string): void {
  if (name !== undefined && name !== before && !isFitForName(name)) throw InvalidInput.field('name', UNFIT_NAME);
}
