import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import type { NextStep } from './next-step.rules.js';
import { SignInStep } from './sign-in-step.js';

/** All {@link SignInStep}s among the providers of this process, by name. */
@Injectable()
export class SignInSteps implements OnApplicationBootstrap {
  private found: ReadonlyMap<string, SignInStep> | null = null;

  constructor(private readonly discovery: DiscoveryService) {}

  /** Two steps of one name are a mistake in the wiring: the process must not start. */
  onApplicationBootstrap(): void {
    this.collect();
  }

  find(name: NextStep): SignInStep | null {
    return this.collect().get(name) ?? null;
  }

  private collect(): ReadonlyMap<string, SignInStep> {
    if (this.found) return this.found;
    const steps = new Map<string, SignInStep>();
    for (const { instance } of this.discovery.getProviders()) {
      if (!(instance instanceof SignInStep)) continue;
      const known = steps.get(instance.name);
      if (known && known !== instance) throw new Error(`Two steps of the name ${instance.name}`);
      steps.set(instance.name, instance);
    }
    return (this.found = steps);
  }
}
