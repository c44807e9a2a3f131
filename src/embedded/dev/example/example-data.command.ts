import { Command, CommandRunner } from 'nest-commander';
import { ExampleData } from './example-data.service.js';

@Command({
  name: 'example-data',
  description: 'Fill the embedded mode with three tenants, eight apps and 300 users. Start the service once before',
})
export class ExampleDataCommand extends CommandRunner {
  constructor(private readonly example: ExampleData) {
    super();
  }

  async run(): Promise<void> {
    const begun = performance.now();
    await this.example.fill();
    process.stdout.write(`Filled in ${((performance.now() - begun) / 1000).toFixed(1)} s\n`);
  }
}
