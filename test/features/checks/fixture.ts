/** Pull requests for issues with commands, and the runner that really runs them. */
import type { SignedIn, UserCaller } from '#core/caller.ts'
import { isolationOf } from '#features/checks/runner.ts'
import { createIssue } from '#features/issues/create-issue.ts'
import { getPullChecks } from '#features/pulls/checks/get-pull-checks.ts'
import { makePullWorld, REPO } from '../pulls/fixture.ts'

export { REPO }

export async function makeCheckWorld(settings: Parameters<typeof makePullWorld>[0] = {}) {
  const base = await makePullWorld({ require_up_to_date: false, ...settings })
  const isolation = await isolationOf(base.hearth)
  if (isolation.kind !== 'bubblewrap')
    throw new Error(
      `these tests run commands in isolation: ${isolation.kind === 'missing' ? isolation.reason : isolation.kind}. Install bubblewrap (apt-get install bubblewrap)`,
    )
  const { world, ada, ready } = base
  const withChecks = async (checks: string[], by: UserCaller = ada): Promise<number> =>
    (await world.call(createIssue, by, { repo: REPO, title: 'Checked', checks })).number
  return {
    ...base,
    withChecks,
    /** An open pull request for an issue with these commands. They have not run yet. */
    checked: async (
      author: SignedIn,
      commands: string[],
      files?: Record<string, string>,
      issueBy: UserCaller = ada,
    ) => ready(author, files, { issue: await withChecks(commands, issueBy) }),
    checks: (number: number) => world.call(getPullChecks, ada, { repo: REPO, number }),
  }
}

/** Resolves when a command of the forge has come so far that its output holds a text. */
export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 2_000; tries++) {
    if (await condition()) return
    await Bun.sleep(5)
  }
  throw new Error('what was waited for did not come')
}
