// A push service that takes everything and looks at nothing, so that what is measured is the sender. Tells its port;
// GET answers how many messages have come.
import { createServer } from 'node:http';

let count = 0;
const server = createServer((request, response) => {
  if (request.method === 'GET') return void response.end(String(count));
  request.resume().on('end', () => {
    count++;
    response.writeHead(201).end();
  });
});
server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', () => process.send({ port: server.address().port }));
