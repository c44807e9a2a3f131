// Preloaded into a process of the service: at its end it writes how many files of OpenTelemetry it has loaded. The package
// `api` does not count: prom-client loads it always, and it does nothing without the others.
const Module = require('node:module');
const process = require('node:process');

process.on('exit', () => {
  const loaded = Object.keys(Module._cache).filter((path) => /@opentelemetry[\\/](?!api[\\/])/.test(path));
  process.stderr.write(`OpenTelemetry files loaded: ${loaded.length}\n`);
});
