/**
 * A forge with a repository, people and agents, for tests of rules: ways to make rules, to push
 * loose commits, and to merge.
 */
import type { SignedIn } from '#core/caller.ts'
import { push } from '#features/repos/push/push.ts'
import { branchRef, readRef } from '#features/repos/index.ts'
import { createRuleset } from '#features/rulesets/create-ruleset.ts'
import { listRuleEvaluations } from '#features/rulesets/list-rule-evaluations.ts'
import type { RuleType } from '#features/rulesets/schema.ts'
import { createTeam } from '#features/teams/create-team.ts'
import { setTeamMember } from '#features/teams/set-team-member.ts'
import { updateRepo } from '#features/repos/profile/update-repo.ts'
import { makePullWorld, REPO } from '../pulls/fixture.ts'

type Input = NonNullable<(typeof createRuleset)['__input']>
export type RuleInput = Input['rules'][number]
type Rest = Partial<Omit<Input, 'rules' | 'repo' | 'workspace'>>

type Content = Uint8Array | string | null

export async function makeRuleWorld() {
  const forge = await makePullWorld()
  const { world, hearth, ada, row } = forge
  // What the default branch is protected by of itself would hide what rules do.
  await world.call(updateRepo, ada, { repo: REPO, protected: false })
  let count = 0

  const rule = (rules: RuleInput[], rest: Rest = {}) =>
    world.call(createRuleset, ada, {
      repo: REPO,
      name: `Rules ${++count}`,
      conditions: { ref_name: { include: ['~ALL'] } },
      ...rest,
      rules,
    })

  return {
    ...forge,
    rule,
    /** The same for the whole workspace. */
    ruleAll: (rules: RuleInput[], rest: Rest = {}) =>
      world.call(createRuleset, ada, {
        workspace: 'acme',
        name: `Rules ${++count}`,
        conditions: { ref_name: { include: ['~ALL'] } },
        ...rest,
        rules,
      }),

    /** A commit that no ref names. */
    loose: async (
      parent: string | null,
      files: Record<string, Content>,
      options: { message?: string; email?: string } = {},
    ): Promise<string> => {
      const author = {
        name: 'Ada',
        email: options.email ?? 'ada@example.com',
        time: Math.floor(world.clock.now() / 1000),
        zone: '+0000',
      }
      const changes = Object.entries(files).map(([path, data]) =>
        data === null
          ? { action: 'delete' as const, path }
          : {
              action: 'put' as const,
              path,
              data: typeof data === 'string' ? new TextEncoder().encode(data) : data,
            },
      )
      return (
        await hearth.git.commitFiles(row().store, {
          parent,
          changes,
          message: options.message ?? 'Change files',
          author,
          committer: author,
        })
      ).commit
    },

    /** Pushes as git does; gives for each ref why it was refused, or null. */
    pushes: async (caller: SignedIn, updates: [ref: string, to: string | null][], repo = REPO) => {
      const { id } = row(repo)
      const { results } = await world.call(push, caller, {
        repo,
        updates: updates.map(([name, to]) => ({
          name,
          old: readRef(hearth.db, id, name),
          new: to,
        })),
      })
      return results
    },

    /** Teams of people, each below the one before. */
    teams: async (...line: [slug: string, ...members: string[]][]) => {
      let parent: string | null = null
      for (const [slug, ...members] of line) {
        await world.call(createTeam, ada, { workspace: 'acme', name: slug, slug, parent })
        for (const username of members)
          await world.call(setTeamMember, ada, {
            workspace: 'acme',
            team: slug,
            username,
            role: 'member',
          })
        parent = slug
      }
    },

    refOf: (name: string, repo = REPO) => readRef(hearth.db, row(repo).id, name),
    head: (branch = 'main') => readRef(hearth.db, row().id, branchRef(branch)),
    evaluations: async (filter: { ruleset?: string; result?: 'pass' | 'fail' | 'bypass' } = {}) =>
      (await world.call(listRuleEvaluations, ada, { repo: REPO, per_page: 100, ...filter })).items,
  }
}

export const of = (
  type: RuleType,
  parameters: Record<string, unknown> = {},
  applies_to: 'everyone' | 'agents' = 'everyone',
): RuleInput => ({ type, parameters, applies_to })
