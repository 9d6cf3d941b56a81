/** The addresses of pages of a repository's runs that name each other. */
import { repoPath } from '../../paths.ts'

export const cachesPath = (repo: string, rest = ''): string => repoPath(repo, `/runs/caches${rest}`)

export const repoStoragePath = (repo: string): string => repoPath(repo, '/settings/run-storage')

export const workflowPath = (repo: string, id: string, rest = ''): string =>
  repoPath(repo, `/runs/workflow/${encodeURIComponent(id)}${rest}`)
