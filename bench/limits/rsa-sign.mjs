// As many RSA-2048 signatures as the cores give: asynchronous node:crypto, 32 under way. Argument: seconds.
import { generateKeyPairSync, sign } from 'node:crypto';
import { Latencies } from '../load/latencies.mjs';

const UNDER_WAY = 32;
const seconds = Number(process.argv[2]);
const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const text = Buffer.alloc(700, 'a');
const latencies = new Latencies();
const begun = performance.now();
const cpu = process.cpuUsage();

function again() {
  const now = performance.now();
  if (now - begun >= seconds * 1000) return Promise.resolve();
  return new Promise((resolve, reject) =>
    sign('sha256', text, privateKey, (error) => {
      latencies.add(performance.now() - now);
      if (error) reject(error);
      else resolve(again());
    }),
  );
}

await Promise.all(Array.from({ length: UNDER_WAY }, again));
const { user, system } = process.cpuUsage(cpu);
process.send({ ...latencies.summary(), seconds, cpuMs: (user + system) / 1000 });
process.disconnect();
