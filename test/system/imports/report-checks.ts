/** Results of commits here arrive as commit statuses at a real Gitea. */
import { OWNER } from '../../../scripts/support/forge.ts'
import type { Seeded } from './seed-gitea.ts'

type Api = <T>(method: string, path: string, body?: unknown) => Promise<T>
type Status = { readonly context: string; readonly status: string; readonly target_url: string }

const STATES = ['pending', 'success', 'failure', 'error'] as const
const MAX_TRIES = 150

/** One line for everything that is wrong. `ada/copy` follows `whole` already. */
export async function reportChecks(api: Api, { api: gitea }: Seeded): Promise<string[]> {
  const repo = `/repos/${OWNER.workspace}/whole`
  const [newest] = await api<{ sha: string }[]>('GET', `${repo}/commits`)
  const sha = newest?.sha ?? ''
  for (const state of STATES)
    await api('POST', `${repo}/statuses/${sha}`, {
      state,
      context: `check/${state}`,
      description: 'from outside',
    })
  const listed = (): Promise<Status[]> =>
    gitea<Status[]>('GET', `/repos/ada/copy/commits/${sha}/statuses`)
  let there = await listed()
  for (let tries = 0; there.length < STATES.length && tries < MAX_TRIES; tries++) {
    await Bun.sleep(200)
    there = await listed()
  }
  const wrong = STATES.flatMap((state) => {
    const found = there.find(({ context }) => context === `check/${state}`)
    return found?.status === state && found.target_url.includes(sha)
      ? []
      : [`status ${state} arrived as ${JSON.stringify(found ?? null)}`]
  })
  type Link = { remotes: { checks_problem: string | null }[] }
  const [remote] = (await api<Link>('GET', `${repo}/mirror`)).remotes
  if (remote?.checks_problem) wrong.push(`the page says: ${remote.checks_problem}`)
  return wrong
}
