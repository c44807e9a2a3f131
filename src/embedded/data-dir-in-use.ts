/** Another service is already running with the database in this folder. */
export class DataDirInUse extends Error {
  constructor(
    readonly dataDir: string,
    readonly pid: number,
  ) {
    super(`Another instance is already running in ${dataDir} (pid ${pid})`);
    this.name = 'DataDirInUse';
  }
}
