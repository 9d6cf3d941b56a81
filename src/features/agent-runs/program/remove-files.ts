/** Removes the files of runs that have ended. */
import { lstat, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Hearth } from '#core/hearth.ts'
import { job } from '#core/jobs.ts'
import { HOUR } from '#lib/time.ts'
import { isAtWork } from '../running.ts'
import { hasEnded } from './store-programs.ts'
import { programFolder, removeWorktree } from './worktree.ts'

/** What is still at work removes its files when it ends. */
export async function removeEndedFiles(hearth: Hearth, agent_id: string): Promise<void> {
  if (!isAtWork(hearth, agent_id) && hasEnded(hearth.db, agent_id))
    await removeWorktree(hearth, agent_id)
}

export const removeProgramFiles = job<{ agent_id: string }>({
  kind: 'remove_agent_files',
  run: ({ hearth }, { agent_id }) => removeEndedFiles(hearth, agent_id),
})

/** Also those of runs whose rows are gone, and of tests that a process left. */
export const sweepProgramFiles = job<null>({
  kind: 'sweep_agent_files',
  every: '24h',
  run: async ({ hearth, signal }) => {
    const now = hearth.clock.now()
    for (const name of await readdir(programFolder(hearth)).catch(() => [])) {
      if (signal.aborted) return
      const entry = await lstat(join(programFolder(hearth), name)).catch(() => null)
      // A test takes a minute, and removes its own.
      const isTest = name.startsWith('trial-') && now - (entry?.mtimeMs ?? 0) < HOUR
      if (!isTest) await removeEndedFiles(hearth, name)
    }
  },
})
