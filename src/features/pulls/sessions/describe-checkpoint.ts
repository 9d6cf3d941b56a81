/** Adds the number of changed files to a checkpoint of the service. Counting them needs a diff. */
import { GitError } from '#git'
import { job } from '#core/jobs.ts'
import { writeAs } from '#core/write.ts'
import { repoById } from '#features/repos/index.ts'
import { findPullById } from '../store-pulls.ts'
import { setEntryData } from './store-sessions.ts'

export const describeCheckpoint = job<{
  pull_id: string
  seq: number
  before: string
  after: string
}>({
  kind: 'describe_checkpoint',
  retry: ['1m'],
  run: async ({ hearth }, { pull_id, seq, before, after }) => {
    const pull = findPullById(hearth.db, pull_id)
    const repo = pull && repoById(hearth.db, pull.repo_id)
    if (!repo) return
    try {
      const { totals } = await hearth.git.diff(repo.store, before, after, { hunks: false })
      await writeAs(hearth, null, (tx) =>
        setEntryData(tx, pull_id, seq, JSON.stringify({ sha: after, files: totals.files })),
      )
    } catch (error) {
      if (!(error instanceof GitError && error.code === 'missing')) throw error
    }
  },
})
