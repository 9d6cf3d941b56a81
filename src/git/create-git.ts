/** Opens an engine: prepares its directories and sweeps what an ended process left unfinished. */
import { mkdirSync, rmSync } from 'node:fs'
import { GitEngine } from './git-engine.ts'
import type { Git, GitOptions } from './ports.ts'
import { waitForRemotePacks } from './remote-packs.ts'
import { resolveSettings } from './settings.ts'
import { StartSweep } from './start-sweep.ts'

export function createGit(options: GitOptions): Git {
  const settings = resolveSettings(options)
  const { root, tmp } = settings.engine
  mkdirSync(root, { recursive: true })
  rmSync(tmp, { recursive: true, force: true })
  mkdirSync(tmp, { recursive: true })
  // In a shared root, files that look unfinished may belong to another process.
  const sweep = options.sharedRoot ? null : new StartSweep(root, options.log)
  const engine = new GitEngine(settings, options, sweep)
  return options.remotePacks ? waitForRemotePacks(engine, options.remotePacks) : engine
}
