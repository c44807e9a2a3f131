// better-auth with passwords (bcrypt, as everywhere here) and RS256 keys, kept in PostgreSQL. It is no dependency of ours:
// arguments are the folder where it is installed, the database URL, the cost of bcrypt and the number of users.
// Tells { port } when it listens.
import { createServer, ServerResponse } from 'node:http';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import bcrypt from 'bcrypt';
import pg from 'pg';

const [, , folder, databaseUrl, cost, users] = process.argv;
const installed = createRequire(pathToFileURL(join(folder, 'package.json')));
const load = (name) => import(pathToFileURL(installed.resolve(name)).href);
const [{ betterAuth }, { toNodeHandler }, { jwt }, { getMigrations }] = await Promise.all([
  load('better-auth'),
  load('better-auth/node'),
  load('better-auth/plugins'),
  load('better-auth/db/migration').catch(() => load('better-auth/db')),
]);

const server = createServer();
await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
const { port } = server.address();
const options = {
  baseURL: `http://127.0.0.1:${port}`,
  secret: 'a-secret-of-more-than-thirty-two-characters',
  database: new pg.Pool({ connectionString: databaseUrl, max: 10 }),
  emailAndPassword: {
    enabled: true,
    password: {
      hash: (password) => bcrypt.hash(password, Number(cost)),
      verify: ({ hash, password }) => bcrypt.compare(password, hash),
    },
  },
  plugins: [jwt({ jwks: { keyPairConfig: { alg: 'RS256', modulusLength: 2048 } } })],
  rateLimit: { enabled: false },
  telemetry: { enabled: false },
};
await (await getMigrations(options)).runMigrations();
const auth = betterAuth(options);
const handle = toNodeHandler(auth);
server.on('request', (request, response) => {
  withLength(response);
  return handle(request, response);
});
for (let index = 0; index < Number(users); index++)
  await auth.api.signUpEmail({
    body: { email: `user-${index}@bench.example`, name: 'User', password: 'a long password of a user' },
  });
await fetch(`http://127.0.0.1:${port}/api/auth/jwks`);
process.send({ port });

/** The load generator reads no chunks: the whole body goes out at once, with its length. */
function withLength(response) {
  const chunks = [];
  let head = [200];
  response.writeHead = (...args) => {
    head = args;
    return response;
  };
  response.write = (chunk) => chunks.push(Buffer.from(chunk)) > 0;
  response.end = (chunk) => {
    if (typeof chunk === 'string' || Buffer.isBuffer(chunk)) chunks.push(Buffer.from(chunk));
    const body = Buffer.concat(chunks);
    const [status, ...more] = head;
    response.setHeader('Content-Length', body.length);
    ServerResponse.prototype.writeHead.call(response, status, ...more);
    return ServerResponse.prototype.end.call(response, body);
  };
}
