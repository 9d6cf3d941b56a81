/** The history of a branch in the fork of a pull request. */
import { readPull } from '#features/pulls/index.ts'
import { commitPath } from '../../paths.ts'
import { redirect, type Page } from '../../site.ts'
import { codeOf } from '../pulls/frame.tsx'
import { commitsPage } from './history.tsx'

const COMMIT_ID = /^[0-9a-f]{7,64}$/

/** With the id of a commit in place of a branch, it is the address of this commit on other forges. */
export const forkHistoryPage: Page = {
  ...commitsPage,
  async render(visit) {
    const { workspace, repo, fork, rest = '' } = visit.params
    if (!COMMIT_ID.test(rest)) return commitsPage.render(visit)
    const { pull } = await visit.call(readPull, {
      repo: `${workspace}/${repo}`,
      number: Number(fork),
    })
    return redirect(commitPath(codeOf(pull), rest), 302)
  },
}
