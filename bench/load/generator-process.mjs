// The load comes from its own process, so that what it costs is on nobody's account. One job at a time:
// see Job in generator.ts.
import { setTimeout as sleep } from 'node:timers/promises';
import { Connection } from './connection.mjs';
import { cpuOf } from './cpu.mjs';
import { Latencies } from './latencies.mjs';

process.on('message', (job) => {
  run(job).then(
    (result) => process.send({ result }),
    (error) => process.send({ error: error.stack }),
  );
});

async function run(job) {
  const wrong = [];
  const streams = job.streams.map((stream) => ({ ...stream, next: 0, latencies: new Latencies() }));
  const until = { warm: performance.now() + job.warmUp * 1000 };
  until.end = until.warm + job.seconds * 1000;
  const cpu = {};
  const look = () => Object.fromEntries(Object.entries(job.processes).map(([name, pids]) => [name, cpuOf(pids)]));
  const looking = sleep(job.warmUp * 1000).then(() => (cpu.before = look()));
  await Promise.all(streams.map((stream) => drive(job, stream, until, wrong)));
  await looking;
  const after = look();
  return {
    seconds: job.seconds,
    cpuMs: Object.fromEntries(Object.entries(after).map(([name, ms]) => [name, ms - cpu.before[name]])),
    wrong: wrong.length,
    examples: wrong.slice(0, 3),
    labels: summarize(streams),
    chained: streams.map((stream) => stream.chained ?? null),
  };
}

async function drive(job, stream, until, wrong) {
  let connection = await Connection.open(job.port);
  for (let now = performance.now(); now < until.end; now = performance.now()) {
    try {
      const { status, body } = await connection.send(nextRequest(stream));
      const took = performance.now() - now;
      if (status !== stream.status || !body.includes(stream.contains)) wrong.push(`${status} ${body}`.slice(0, 300));
      else if (stream.chain) stream.chained = JSON.parse(body).refresh_token;
      // Those begun before count as well: what takes seconds would otherwise lose half its answers.
      const ended = now + took;
      if (ended >= until.warm && ended <= until.end) stream.latencies.add(took);
    } catch (error) {
      wrong.push(error.message);
      connection.close();
      connection = await Connection.open(job.port);
    }
    if (stream.pauseMs) await sleep(stream.pauseMs);
  }
  connection.close();
}

/** A stream cycles through its bodies, or puts the refresh token of the last answer into its only one. */
function nextRequest(stream) {
  const { method, path, contentType, bodies } = stream;
  let body = bodies.length > 0 ? bodies[stream.next++ % bodies.length] : '';
  if (stream.chain) body = body.replace('{refresh_token}', stream.chained);
  const entity = body ? `Content-Type: ${contentType}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n` : '';
  return `${method} ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: keep-alive\r\n${entity}\r\n${body}`;
}

function summarize(streams) {
  const labels = new Map(streams.map((stream) => [stream.label, new Latencies()]));
  for (const stream of streams) labels.get(stream.label).addAll(stream.latencies);
  return Object.fromEntries([...labels].map(([label, latencies]) => [label, latencies.summary()]));
}
