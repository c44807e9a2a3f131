import { InvalidInput } from '../../validation/invalid-input.js';
import { type PageCursor, readCursor } from '../../lists/page-cursor.js';

/** @throws InvalidInput for a cursor that no Link header has contained */
export function cursorOf(text: string | undefined): PageCursor | null {
  if (text === undefined) return null;
  const cursor = readCursor(text);
  if (!cursor)
    throw new InvalidInput([
      { loc: ['query', 'cursor'], msg: 'Value is not one of a Link header', type: 'value_error' },
    ]);
  return cursor;
}
