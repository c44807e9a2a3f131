/** The entry points. Each part is loaded only when it is called: a command needs no web server. */
export const program = {
  web: async (environment: NodeJS.ProcessEnv) => (await import('./processes/run-web.js')).runWeb(environment),
  worker: async (environment: NodeJS.ProcessEnv) => (await import('./processes/run-worker.js')).runWorker(environment),
  migrations: async (environment: NodeJS.ProcessEnv) =>
    (await import('./processes/run-migrations.js')).runMigrations(environment),
  command: async (environment: NodeJS.ProcessEnv) =>
    (await import('./processes/run-command.js')).runCommand(environment),
  /** Loads everything without running anything, for the cache of compiled code. */
  preload: async () => {
    await Promise.all([
      import('./processes/run-web.js'),
      import('./processes/serve.js'),
      import('./processes/run-worker.js'),
    ]);
    await Promise.all([import('./processes/run-migrations.js'), import('./processes/run-command.js')]);
  },
};

export type Program = typeof program;
