/** A second service was started in a folder whose database already has its one service. */
export class DataDirInUse extends Error {
  constructor(
    readonly dataDir: string,
    readonly pid: number,
  ) {
    super(`Another instance is already running in ${dataDir} (pid ${pid})`);
    this.name = 'DataDirInUse';
  }
}
