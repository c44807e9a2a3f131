import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { brotliDecompress } from 'node:zlib';
import { Injectable } from '@nestjs/common';
import { SortedLines } from './sorted-lines.js';

/** The same number of steps up from `src/users` and from `dist/users`; made by scripts/common-passwords.mjs. */
const FILE = fileURLToPath(new URL('../../../data/common-passwords/common-passwords.txt.br', import.meta.url));

/**
 * 150,000 common passwords and the short words that they are made of, where ASVS 6.2.4 wants 3,000. Read when the first
 * password is set: a start, or a process that sets none, pays neither the 2 MB nor the 30 ms.
 */
@Injectable()
export class CommonPasswords {
  private list: Promise<SortedLines> | undefined;

  /** In the spelling of `foldSpelling`. */
  read(): Promise<SortedLines> {
    this.list ??= this.load();
    return this.list;
  }

  private async load(): Promise<SortedLines> {
    try {
      return new SortedLines(await promisify(brotliDecompress)(await readFile(FILE)));
    } catch (error) {
      this.list = undefined; // The next password tries again.
      throw error;
    }
  }
}
