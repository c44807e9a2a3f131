// As many password checks as the cores give: synchronous bcrypt in one thread per core. Arguments: seconds, cost.
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import bcrypt from 'bcrypt';
import { Latencies } from '../load/latencies.mjs';

if (isMainThread) {
  const [seconds, cost] = process.argv.slice(2).map(Number);
  const hash = bcrypt.hashSync('correct horse battery staple', cost);
  const cpu = process.cpuUsage();
  const threads = Array.from({ length: availableParallelism() }, () => {
    const worker = new Worker(fileURLToPath(import.meta.url), { workerData: { seconds, hash } });
    return new Promise((resolve, reject) => worker.once('message', resolve).once('error', reject));
  });
  const latencies = new Latencies();
  for (const times of await Promise.all(threads)) for (const each of times) latencies.add(each);
  const { user, system } = process.cpuUsage(cpu);
  process.send({ ...latencies.summary(), seconds, cpuMs: (user + system) / 1000 });
  process.disconnect();
} else {
  const times = [];
  const begun = performance.now();
  for (let now = begun; now - begun < workerData.seconds * 1000;) {
    bcrypt.compareSync('correct horse battery staple', workerData.hash);
    const after = performance.now();
    times.push(after - now);
    now = after;
  }
  parentPort.postMessage(times);
}
