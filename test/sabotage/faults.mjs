// Controls that keep the service going through faults: stops, cut connections, clocks, full disks; see scripts/sabotage.mjs.
export default [
  {
    item: 'stop',
    control: 'a connection on which nothing was ever sent does not hold up a stop',
    file: 'src/common/http/connection-drain.ts',
    out: 'if (socket.bytesRead === 0 && acceptedAt < silentSince) socket.destroy();',
    into: '',
    tests: ['test/e2e/operations/stopping.spec.ts'],
  },
  {
    item: 'stop',
    control: 'while it stops a process keeps no connection',
    file: 'src/common/http/connection-drain.ts',
    out: "if (this.draining) response.setHeader('Connection', 'close');",
    into: '',
    tests: ['test/e2e/operations/stopping.spec.ts'],
  },
  {
    item: 'stop',
    control: 'a process that stops serves on until the balancer has noticed',
    file: 'src/serve.ts',
    out: 'await sleep(delaySeconds * 1_000);',
    into: 'await sleep(delaySeconds);',
    tests: ['test/e2e/operations/stopping.spec.ts'],
  },
];
