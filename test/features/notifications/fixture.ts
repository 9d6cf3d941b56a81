/**
 * A forge with a public and a private repository, people of every standing, and what each of them
 * is told.
 */
import type { SignedIn, UserCaller } from '#core/caller.ts'
import { addComment } from '#features/issues/comments/add-comment.ts'
import { createIssue } from '#features/issues/create-issue.ts'
import { listNotifications } from '#features/notifications/list-notifications.ts'
import { createTeam } from '#features/teams/create-team.ts'
import { setTeamMember } from '#features/teams/set-team-member.ts'
import type { Settings } from '#core/settings.ts'
import { makeWorld } from '../../world.ts'

type Filter = NonNullable<(typeof listNotifications)['__input']>

export async function makeNotificationWorld(change: Partial<Settings> = {}) {
  const world = await makeWorld(change)
  const ada = await world.user('ada')
  const mel = await world.user('mel')
  const max = await world.user('max')
  /** In no workspace: sees only what is public. */
  const otto = await world.user('otto')
  const workspace = await world.workspace('acme', { owner: ada, members: [mel, max] })
  const site = await world.repo('acme/site', { as: ada })
  const vault = await world.repo('acme/vault', { as: ada, private: true })

  return {
    world,
    hearth: world.hearth,
    ada,
    mel,
    max,
    otto,
    workspace,
    site,
    vault,

    issue: async (
      as: SignedIn = ada,
      input: { title?: string; body?: string; assignees?: string[] } = {},
      repo = 'acme/site',
    ): Promise<number> =>
      (await world.call(createIssue, as, { repo, title: 'It is broken', ...input })).number,

    comment: async (
      as: SignedIn,
      number: number,
      body: string,
      repo = 'acme/site',
    ): Promise<string> => (await world.call(addComment, as, { repo, number, body })).id,

    team: async (
      slug: string,
      people: UserCaller[],
      options: { visibility?: 'visible' | 'secret'; notify?: boolean } = {},
    ) => {
      await world.call(createTeam, ada, { workspace: 'acme', name: slug, slug, ...options })
      for (const person of people)
        await world.call(setTeamMember, ada, {
          workspace: 'acme',
          team: slug,
          username: person.username,
        })
    },

    /**
     * Everything that a person is told after all jobs ran, newest first: `reason #number` or
     * `reason kind`.
     */
    told: async (person: UserCaller, filter: Filter = {}): Promise<string[]> => {
      await world.jobs()
      const { items } = await world.call(listNotifications, person, filter)
      return items.map(
        ({ reason, subject }) =>
          `${reason} ${subject.number === null || subject.kind === 'question' ? subject.kind : `#${subject.number}`}`,
      )
    },

    count: (table: string): number =>
      world.hearth.db.one<{ n: number }>(`SELECT COUNT(*) AS n FROM ${table}`)?.n ?? 0,
  }
}
