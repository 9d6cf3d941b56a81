/**
 * A forge with one repository, the people that tests of pull requests need, and short ways to the
 * states they are in.
 */
import type { AgentCaller, SignedIn, UserCaller } from '#core/caller.ts'
import { issueToken, recordActor } from '#features/accounts/index.ts'
import { createIssue } from '#features/issues/create-issue.ts'
import { createPull } from '#features/pulls/lifecycle/create-pull.ts'
import { markPullReady } from '#features/pulls/lifecycle/mark-pull-ready.ts'
import { findPull, type PullRow } from '#features/pulls/store-pulls.ts'
import {
  branchRef,
  moveRefs,
  prepareUpdates,
  readRef,
  repoByPath,
  type RepoRow,
} from '#features/repos/index.ts'
import { updateRepoSettings } from '#features/repos/settings/update-repo-settings.ts'
import { typeId } from '#core/ids.ts'
import { agentOf, makeWorld } from '../../world.ts'

export const REPO = 'acme/site'
export const LINES = Array.from({ length: 20 }, (_, at) => `line ${at + 1}`)

/** The twenty lines with some of them changed. */
export const text = (changes: Record<number, string> = {}): string =>
  `${LINES.map((line, at) => changes[at + 1] ?? line).join('\n')}\n`

type Settings = Omit<NonNullable<(typeof updateRepoSettings)['__input']>, 'repo'>

export async function makePullWorld(settings: Settings = {}) {
  const world = await makeWorld()
  const { hearth } = world
  const ada = await world.user('ada')
  const mel = await world.user('mel')
  const max = await world.user('max')
  const otto = await world.user('otto')
  const workspace = await world.workspace('acme', { owner: ada, members: [mel, max] })
  await world.repo(REPO, { as: ada })
  await world.commit(REPO, 'main', { 'a.txt': text(), 'b.txt': 'b\n', 'docs/guide.txt': 'guide\n' })
  const configure = (change: Settings) =>
    world.call(updateRepoSettings, ada, { repo: REPO, ...change })
  if (Object.keys(settings).length > 0) await configure(settings)

  const row = (full_name = REPO): RepoRow => {
    const found = repoByPath(hearth.db, full_name)
    if (!found) throw new Error(`no repository ${full_name}`)
    return found
  }
  const ref = (branch: string, full_name = REPO): string | null =>
    readRef(hearth.db, row(full_name).id, branchRef(branch))
  const pull = (number: number): PullRow => {
    const found = findPull(hearth.db, row().id, number)
    if (!found) throw new Error(`no pull request ${number}`)
    return found
  }
  /** Moves a ref as a push would. */
  const push = async (full_name: string, branch: string, to: string | null, as: SignedIn = ada) => {
    const repo = row(full_name)
    const prepared = await prepareUpdates(hearth, repo, [
      { name: branchRef(branch), old: ref(branch, full_name), new: to },
    ])
    await world.write((tx) => moveRefs(tx, repo, prepared), as)
  }
  const fork = (number: number) => `${REPO}/pull/${number}`

  const draft = async (
    author: SignedIn,
    files: Record<string, string | null> | null = { 'b.txt': 'changed\n' },
    input: { issue?: number; title?: string; agent?: string } = {},
  ) => {
    const { pull: made } = await world.call(createPull, author, {
      repo: REPO,
      ...(input.issue === undefined ? { title: 'Change it' } : {}),
      ...input,
    })
    if (files) await world.commit(fork(made.number), 'main', files, { as: author })
    return made.number
  }

  return {
    world,
    hearth,
    ada,
    mel,
    max,
    otto,
    workspace,
    configure,
    row,
    ref,
    pull,
    push,
    fork,
    draft,

    /** A draft with a pushed change. */
    ready: async (
      author: SignedIn,
      files: Record<string, string | null> = { 'b.txt': 'changed\n' },
      input: { issue?: number; title?: string } = {},
    ) => {
      const number = await draft(author, files, input)
      await world.call(markPullReady, author, { repo: REPO, number, summary: 'It is done.' })
      return number
    },

    /** An open one from a pushed branch. */
    fromBranch: async (
      author: SignedIn,
      branch = 'feature',
      files: Record<string, string | null> = { 'b.txt': 'changed\n' },
      input: { issue?: number; base?: string } = {},
    ) => {
      await push(REPO, branch, ref('main'), author)
      await world.commit(REPO, branch, files, { as: author })
      return (
        await world.call(createPull, author, {
          repo: REPO,
          title: 'From a branch',
          branch,
          ...input,
        })
      ).pull.number
    },

    issue: async (author: UserCaller = otto): Promise<number> =>
      (await world.call(createIssue, author, { repo: REPO, title: 'It is broken' })).number,

    /** Merges the base into a pull request's fork and pushes that. */
    mergeBaseIn: async (number: number, as: SignedIn) => {
      const signature = {
        name: as.username,
        email: `${as.username}@example.com`,
        time: Math.floor(world.clock.now() / 1000),
        zone: '+0000',
      }
      const { head_sha, base_sha, head_ref } = pull(number)
      const landing = await hearth.git.merge(row().store, {
        method: 'merge',
        base: head_sha ?? '',
        head: base_sha,
        message: 'Merge main',
        author: signature,
        committer: signature,
      })
      if ('conflicts' in landing) throw new Error('conflicts')
      await push(fork(number), head_ref ?? 'main', landing.commit, as)
    },

    agent: async (owner: UserCaller, name = 'bot'): Promise<AgentCaller> => {
      const { id: repo_id, workspace_id, name: repo_name } = row()
      const id = typeId('agt', world.clock.now())
      await world.write((tx) => {
        recordActor(tx, {
          id,
          kind: 'agent',
          username: `${owner.username}/${name}`,
          name: null,
          on_behalf_of: owner.id,
        })
        issueToken(tx, {
          actor_id: id,
          kind: 'agent',
          name,
          source: 'agent',
          scopes: null,
          repos: [{ id: repo_id, workspace_id, name: repo_name }],
          workspace_id: null,
          role: 'write',
          expires_at: new Date(world.clock.now() + 3_600_000).toISOString(),
          created_by: owner.id,
        })
      })
      return agentOf(owner, { id: repo_id }, { id, name })
    },

    count: (table: string): number =>
      hearth.db.one<{ n: number }>(`SELECT COUNT(*) AS n FROM ${table}`)?.n ?? 0,
  }
}
