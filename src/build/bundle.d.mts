import type { BuildResult } from 'esbuild';

export interface BundleSpec {
  readonly entry: string;
  readonly out: string;
  readonly executable?: boolean;
}

export const BUNDLES: readonly BundleSpec[];
export function bundle(spec: BundleSpec): Promise<BuildResult<{ write: false; metafile: true }>>;
export function writeBundles(): Promise<void>;
