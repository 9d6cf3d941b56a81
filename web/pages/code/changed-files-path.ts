// The pages of a change that has many files, and the address of the list of all of them.
import { repoPath, withQuery } from '../../paths.ts'

export const FILES_PER_PAGE = 100

/** `back` is the address of the change, without its page number; `pull` its pull request, as `acme/site#4`. */
export const changedFilesPath = (
  repo: string,
  change: { base: string | null; head: string; white: boolean; back: string; pull?: string },
): string =>
  withQuery(repoPath(repo, '/changed-files'), {
    base: change.base ?? undefined,
    head: change.head,
    w: change.white ? 'ignore' : undefined,
    back: change.back,
    pull: change.pull,
  })
