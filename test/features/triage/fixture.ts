/** A repository with labels and issues, and a scripted model that reads new ones. */
import type { UserCaller } from '#core/caller.ts'
import { createIssue } from '#features/issues/create-issue.ts'
import { getIssue } from '#features/issues/get-issue.ts'
import { setModelRoutes } from '#features/models/set-model-routes.ts'
import { updateRepoSettings } from '#features/repos/settings/update-repo-settings.ts'
import type { RepoSettings } from '#features/repos/settings/repo-settings.ts'
import { decideTriageProposal } from '#features/triage/decide-triage-proposal.ts'
import { getIssueTriage } from '#features/triage/get-issue-triage.ts'
import type { Reply } from '../../models/provider.ts'
import { makeModelWorld } from '../integrations/fixture.ts'

export const REPO = 'acme/site'

/** What a model hands in. */
export const proposes = (input: Record<string, unknown>): Reply => ({
  calls: [{ name: 'propose', input: { labels: [], duplicates: [], ...input } }],
})

export async function makeTriageWorld(replies: readonly Reply[]) {
  const base = await makeModelWorld((_, number) => replies[number] ?? proposes({}))
  const { world, ada, connect } = base
  const eve = await world.user('eve')
  await world.repo(REPO, { as: ada, private: false })
  await world.commit(REPO, 'main', { 'README.md': 'site\n' })
  await world.call(createIssue, ada, { repo: REPO, title: 'The oven overheats on start' })
  const { id } = await connect()
  await world.call(setModelRoutes, ada, {
    workspace: 'acme',
    routes: [{ task: 'triage', integration: id, model: 'small' }],
  })
  const set = (issue_triage: RepoSettings['issue_triage']) =>
    world.call(updateRepoSettings, ada, { repo: REPO, issue_triage })
  const open = async (
    title: string,
    { body = '', as = eve }: { body?: string; as?: UserCaller } = {},
  ) => {
    const { number } = await world.call(createIssue, as, { repo: REPO, title, body })
    await world.jobs()
    return { repo: REPO, number }
  }
  type At = { repo: string; number: number }
  const read = (at: At, as: UserCaller = ada) => world.call(getIssueTriage, as, at)
  const decide = async (
    at: At,
    kind: string,
    decision: 'accept' | 'dismiss' = 'accept',
    as: UserCaller = ada,
  ) => {
    const proposal = (await read(at)).proposals.find((one) => one.kind === kind)?.id ?? 'none'
    return await world.call(decideTriageProposal, as, { ...at, proposal, decision })
  }
  const issue = (at: At) => world.call(getIssue, ada, at)
  return { ...base, eve, set, open, read, decide, issue }
}
