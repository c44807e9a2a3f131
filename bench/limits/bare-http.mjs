// node:http and nothing else: the same bytes for every request. The document comes as a message.
import { createServer } from 'node:http';

process.once('message', ({ body, headers }) => {
  const bytes = Buffer.from(body);
  const server = createServer((_request, response) =>
    response.writeHead(200, { ...headers, 'Content-Length': bytes.length }).end(bytes),
  );
  server.listen(0, '127.0.0.1', () => process.send({ port: server.address().port }));
});
