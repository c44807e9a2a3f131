// Adds to package-lock.json the optional packages of other platforms that the registry at hand did not list. Without
// them `npm ci` stops with "Missing: @swc/core-darwin-arm64@… from lock file". Run it after every change of dependencies.
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const OSES = ['aix', 'android', 'darwin', 'freebsd', 'linux', 'netbsd', 'openbsd', 'openharmony', 'sunos', 'win32'];
const CPUS = ['arm', 'arm64', 'ia32', 'loong64', 'mips64el', 'ppc64', 'riscv64', 's390x', 'wasm32', 'x64'];
const NAMED_OTHERWISE = { windows: 'win32' };

const path = fileURLToPath(new URL('../package-lock.json', import.meta.url));
const lock = JSON.parse(readFileSync(path, 'utf8'));
const { packages } = lock;

const extraneous = Object.keys(packages).filter((at) => packages[at].extraneous);
if (extraneous.length > 0) {
  console.error(`Refused: npm 10 fails on packages marked extraneous: ${extraneous.join(', ')}`);
  process.exit(1);
}

const added = [];
for (const [at, parent] of Object.entries(packages)) {
  for (const [name, range] of Object.entries(parent.optionalDependencies ?? {})) {
    if (packages[`${at}/node_modules/${name}`] || packages[`node_modules/${name}`]) continue;
    const words = name.split(/[/-]/).map((word) => NAMED_OTHERWISE[word] ?? word);
    const os = words.filter((word) => OSES.includes(word));
    const cpu = words.filter((word) => CPUS.includes(word));
    if (os.length === 0) continue;
    packages[`node_modules/${name}`] = {
      version: range.replace(/^[\^~]/, ''),
      ...(parent.dev && { dev: true }),
      optional: true,
      os,
      ...(cpu.length > 0 && { cpu }),
    };
    added.push(name);
  }
}
lock.packages = Object.fromEntries(Object.entries(packages).sort(([a], [b]) => (a < b ? -1 : 1)));
if (added.length > 0) writeFileSync(path, `${JSON.stringify(lock, null, 2)}\n`);
console.log(added.length > 0 ? `Added ${added.length}: ${added.join(', ')}` : 'The lock is complete.');
