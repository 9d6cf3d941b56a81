/** A forge with one workspace and the people that tests of issues need. */
import type { AgentCaller, Role, UserCaller } from '#core/caller.ts'
import { issueToken, recordActor } from '#features/accounts/index.ts'
import { createIssue } from '#features/issues/create-issue.ts'
import { insertRecord, linkPull } from '#features/issues/index.ts'
import { repoByPath, allocateNumber, type RepoRow } from '#features/repos/index.ts'
import { typeId } from '#core/ids.ts'
import { agentOf, makeWorld, withToken } from '../../world.ts'

type IssueInput = NonNullable<(typeof createIssue)['__input']>

export async function makeIssueWorld() {
  const world = await makeWorld()
  const ada = await world.user('ada')
  const mel = await world.user('mel')
  const otto = await world.user('otto')
  await world.workspace('acme', { owner: ada, members: [mel] })
  await world.repo('acme/site', { as: ada })
  await world.repo('acme/vault', { as: ada, private: true })
  const row = (full_name: string): RepoRow => {
    const found = repoByPath(world.hearth.db, full_name)
    if (!found) throw new Error(`no repository ${full_name}`)
    return found
  }
  /** A member held to a role by a token. */
  const as = (role: Role): UserCaller =>
    withToken(role === 'maintain' || role === 'admin' ? ada : mel, { role })

  return {
    world,
    ada,
    mel,
    otto,
    as,
    row,

    /** Opens an issue and gives its number. */
    issue: async (
      input: Partial<IssueInput> = {},
      caller: UserCaller | AgentCaller = ada,
      repo = 'acme/site',
    ): Promise<number> =>
      (await world.call(createIssue, caller, { title: 'It is broken', ...input, repo })).number,

    /** A number that stands for a pull request, as the pull requests report it. */
    pull: async (
      options: {
        issue?: number
        author?: UserCaller | AgentCaller
        title?: string
        repo?: string
        agent?: string
      } = {},
    ) => {
      const {
        issue,
        author = otto,
        title = 'Repair it',
        repo = 'acme/site',
        agent = null,
      } = options
      const { id } = row(repo)
      return world.write((tx) => {
        const number = allocateNumber(tx, id)
        insertRecord(tx, { repo_id: id, number, kind: 'pull', title, author_id: author.id })
        if (issue !== undefined)
          linkPull(tx, {
            repo_id: id,
            issue_number: issue,
            pull_number: number,
            status: 'draft',
            agent,
          })
        return number
      })
    },

    /** An agent at work in a repository, with a token of its own. */
    agent: async (owner: UserCaller, name = 'bot', repo = 'acme/site'): Promise<AgentCaller> => {
      const { id: repo_id, workspace_id, name: repo_name } = row(repo)
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
      world.hearth.db.one<{ n: number }>(`SELECT COUNT(*) AS n FROM ${table}`)?.n ?? 0,
  }
}
