/** Opens an engine: prepares its directories and sweeps what an ended process left unfinished. */
import { mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { GitEngine } from './git-engine.ts'
import type { Git, GitOptions } from './ports.ts'
import { waitForRemotePacks } from './remote-packs.ts'
import { resolveSettings } from './settings.ts'
import { sweepStore } from './store/store-files.ts'

export function createGit(options: GitOptions): Git {
  const settings = resolveSettings(options)
  const { root, tmp } = settings.engine
  mkdirSync(root, { recursive: true })
  rmSync(tmp, { recursive: true, force: true })
  mkdirSync(tmp, { recursive: true })
  // In a shared root, files that look unfinished may belong to another process.
  for (const store of options.sharedRoot ? [] : readdirSync(root)) {
    const files = sweepStore(join(root, store))
    if (files > 0)
      options.log?.('info', 'swept files that an ended process left in a store', { store, files })
  }
  const engine = new GitEngine(settings, options)
  return options.remotePacks ? waitForRemotePacks(engine, options.remotePacks) : engine
}
