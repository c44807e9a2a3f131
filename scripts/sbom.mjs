// npm run sbom [-- file]: writes a CycloneDX list of what is installed in production (default: sbom.cdx.json).
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const file = resolve(process.argv[2] ?? 'sbom.cdx.json');
const options = ['sbom', '--sbom-format=cyclonedx', '--sbom-type=application', '--omit=dev', '--package-lock-only'];
// By the lock file, so that what happens to lie in node_modules besides makes no difference.
const { status, stdout } = spawnSync('npm', options, {
  cwd: root,
  encoding: 'utf8',
  maxBuffer: 1 << 28,
  stdio: ['ignore', 'pipe', 2],
  shell: process.platform === 'win32',
});
if (status !== 0) process.exit(status ?? 1);
writeFileSync(file, stdout);
const { components } = JSON.parse(stdout);
console.log(`${file}: ${components.length} packages`);
