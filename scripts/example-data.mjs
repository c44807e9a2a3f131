// npm run example-data: fills the embedded mode in DATA_DIR with three tenants, eight apps and 300 users, whether the
// service runs or not. Start the service once before. The same as the button "Add example data" at /dev.
import { fileURLToPath } from 'node:url';
import { buildIfStale } from './build.mjs';

if (!buildIfStale()) {
  console.error('The build failed; nothing was filled.');
  process.exit(1);
}
const cli = new URL('../dist/cli.js', import.meta.url);
process.argv.splice(1, process.argv.length, fileURLToPath(cli), 'example-data');
await import(cli.href);
