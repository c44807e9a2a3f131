import { existsSync } from 'node:fs';
import { chmod, link, open, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Randomness } from '../common/randomness.js';

const BYTES = 32;

/**
 * The key that encrypts secrets at rest if none is configured: created at the first start in `DATA_DIR/secret.key`
 * (base64, readable by its owner only), and read from then on.
 * @param hasData whether the folder already contains a database, which a new key could not decrypt
 * @returns 32 bytes
 * @throws Error if the file is damaged, or missing although there is data
 */
export async function readOrCreateSecretKey(dataDir: string, hasData: boolean, random: Randomness): Promise<Buffer> {
  const path = join(dataDir, 'secret.key');
  if (!existsSync(path)) {
    if (hasData) {
      throw new Error(
        `${path} is missing, but ${dataDir} holds a database whose secrets only that key can decrypt. ` +
          'Put the file back, set SECRET_KEY, or remove the whole folder to start again.',
      );
    }
    await create(path, random.bytes(BYTES));
  }
  const text = (await readFile(path, 'utf8')).trim();
  const key = Buffer.from(text, 'base64');
  if (key.length !== BYTES || key.toString('base64') !== text) {
    throw new Error(`${path} does not hold a key (${BYTES} bytes in base64). Put the original file back.`);
  }
  await chmod(path, 0o600);
  return key;
}

/** Written atomically: a crash must not leave half a key. */
async function create(path: string, key: Buffer): Promise<void> {
  const draft = `${path}.draft`;
  await rm(draft, { force: true });
  const file = await open(draft, 'wx', 0o600);
  try {
    await file.writeFile(`${key.toString('base64')}\n`);
    await file.sync();
  } finally {
    await file.close();
  }
  await link(draft, path);
  await rm(draft);
}
