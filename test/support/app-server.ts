import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import express, { type Express } from 'express';

const MODULES = fileURLToPath(new URL('../../node_modules', import.meta.url));

/** An app's own web server on a free loopback port, for what a client library mounts on it. */
export class AppServer {
  readonly express: Express = express();
  private readonly server = createServer(this.express);

  static async start(): Promise<AppServer> {
    const app = new AppServer();
    app.server.listen(0, '127.0.0.1');
    await once(app.server, 'listening');
    return app;
  }

  get origin(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** Installed packages for a browser, at `/lib/<package>/<file>`. */
  serveModules(): void {
    this.express.use('/lib', express.static(MODULES, { extensions: ['js'], immutable: true, maxAge: '1h' }));
  }

  /** A module with what a classic script has put into this variable: rxjs is two hundred small modules otherwise. */
  serveGlobal(path: string, variable: string, exports: object): void {
    const names = Object.keys(exports).filter((name) => name !== 'default' && name !== 'module.exports');
    const module = `export const { ${names.join(', ')} } = ${variable};`;
    this.express.get(path, (_request, response) => void response.type('js').send(module));
  }

  /** A page of the app at this path, without anything that a browser would ask for besides. */
  page(path: string, head: string): void {
    const html = `<!doctype html><html lang="en"><head><title>App</title><link rel="icon" href="data:,">${head}</head><body></body></html>`;
    this.express.get(path, (_request, response) => void response.type('html').send(html));
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }
}
