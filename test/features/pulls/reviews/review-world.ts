/** A pull request world with four more members, and short forms for review requests. */
import { cancelReviewRequest } from '#features/pulls/reviews/cancel-review-request.ts'
import { getPull } from '#features/pulls/get-pull.ts'
import { listPulls } from '#features/pulls/list-pulls.ts'
import { requestReview } from '#features/pulls/reviews/request-review.ts'
import { reviewPull } from '#features/pulls/reviews/review-pull.ts'
import { createTeam } from '#features/teams/create-team.ts'
import { setReviewAssignment } from '#features/teams/set-review-assignment.ts'
import { setTeamMember } from '#features/teams/set-team-member.ts'
import type { SignedIn } from '#core/caller.ts'
import { makePullWorld, REPO } from '../fixture.ts'

type Names = { users?: string[]; teams?: string[]; agents?: string[] }

export async function makeReviewWorld() {
  const pulls = await makePullWorld()
  const { world, ada, workspace } = pulls
  const { addMember } = await import('#features/workspaces/index.ts')
  const people = []
  for (const name of ['t1', 't2', 't3', 't4']) {
    const person = await world.user(name)
    await world.write((tx) =>
      addMember(tx, { workspace_id: workspace.id, user_id: person.id, role: 'member' }),
    )
    people.push(person)
  }
  const [t1, t2, t3, t4] = people as [typeof ada, typeof ada, typeof ada, typeof ada]
  const show = ({
    requested_reviewers: { users, teams, agents },
  }: {
    requested_reviewers: {
      users: { username: string }[]
      teams: string[]
      agents: { username: string }[]
    }
  }) => ({
    users: users.map(({ username }) => username).sort(),
    teams,
    agents: agents.map(({ username }) => username),
  })
  return {
    ...pulls,
    t1,
    t2,
    t3,
    t4,
    show,
    ask: async (number: number, names: Names, as: SignedIn = ada) =>
      show(await world.call(requestReview, as, { repo: REPO, number, ...names })),
    cancel: async (number: number, names: Names, as: SignedIn = ada) =>
      show(await world.call(cancelReviewRequest, as, { repo: REPO, number, ...names })),
    requested: async (number: number) =>
      show(await world.call(getPull, ada, { repo: REPO, number })),
    review: (number: number, as: SignedIn) =>
      world.call(reviewPull, as, { repo: REPO, number, verdict: 'comment', body: 'Seen.' }),
    /** A team with these people, and perhaps a rule for whom it asks. */
    team: async (name: string, members: string[], rule: object | null = null, parent?: string) => {
      await world.call(createTeam, ada, { workspace: 'acme', name, parent })
      const { removeTeamMember } = await import('#features/teams/remove-team-member.ts')
      await world.call(removeTeamMember, ada, { workspace: 'acme', team: name, username: 'ada' })
      for (const username of members)
        await world.call(setTeamMember, ada, { workspace: 'acme', team: name, username })
      if (rule)
        await world.call(setReviewAssignment, ada, {
          workspace: 'acme',
          team: name,
          enabled: true,
          ...rule,
        })
    },
    waiting: async (who: string) =>
      (await world.call(listPulls, ada, { repo: REPO, review_requested: who })).items.map(
        ({ number }) => number,
      ),
  }
}
