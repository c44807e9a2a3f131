import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { brotliDecompress } from 'node:zlib';
import { Injectable } from '@nestjs/common';
import { SortedLines } from './sorted-lines.js';

/**
 * Works from `src/users` and from `dist/users`, which have the same depth; the file is created by
 * scripts/common-passwords.mjs.
 */
const FILE = fileURLToPath(new URL('../../../data/common-passwords/common-passwords.txt.br', import.meta.url));

/**
 * 150,000 common passwords and the short words in them; ASVS 6.2.4 requires 3,000. Read when the first password is set,
 * so that neither the start nor a process that sets no password pays for the 2 MB and 30 ms.
 */
@Injectable()
export class CommonPasswords {
  private list: Promise<SortedLines> | undefined;

  /** Lines in the form of `foldSpelling`. */
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
