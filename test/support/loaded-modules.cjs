// Preloaded into a process of the service: at its end it writes the names of OpenTelemetry's files that it has loaded.
const Module = require('node:module');
const process = require('node:process');

process.on('exit', () => {
  const loaded = Object.keys(Module._cache).filter((path) => path.includes('@opentelemetry'));
  process.stderr.write(`OpenTelemetry files loaded: ${loaded.length}\n`);
});
