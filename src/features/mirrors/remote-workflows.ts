/** Workflow files of the forge that leads, which run here when the link says so (`ext_workflows`). */
import type { Db } from '#core/db.ts'
import { findLeader } from './store.ts'

/** Where each forge has its files. Of these folders it reads the first that exists. */
const FOLDERS: Readonly<Record<string, readonly string[]>> = {
  github: ['.github/workflows'],
  gitea: ['.gitea/workflows', '.github/workflows'],
  forgejo: ['.forgejo/workflows', '.gitea/workflows', '.github/workflows'],
  generic: ['.forgejo/workflows', '.gitea/workflows', '.github/workflows'],
}

/** GitLab's files have another form. */
export const hasReadableWorkflows = (provider: string): boolean => provider in FOLDERS

/** The folders whose files run here beside those of the repository itself. */
export function workflowFoldersOf(db: Db, repo_id: string): readonly string[] {
  const row = findLeader(db, repo_id)
  return row?.ext_workflows === 1 ? (FOLDERS[row.provider] ?? []) : []
}
