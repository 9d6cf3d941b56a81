import { describe, expect, test } from 'bun:test'
import { getTeam } from '#features/teams/get-team.ts'
import { setReviewAssignment } from '#features/teams/set-review-assignment.ts'
import { refusal, withToken } from '../../world.ts'
import { makeTeamWorld } from './fixture.ts'

describe('review assignment', () => {
  test('fields left out keep their value, and the list of excluded is replaced whole', async () => {
    const { world, ada, bob, cy, team, join, audits } = await makeTeamWorld()
    await team('Core', {}, bob)
    await join('core', 'cy', 'member', bob)
    const set = (who: typeof ada, input: object) =>
      world.call(setReviewAssignment, who, { workspace: 'acme', team: 'core', ...input })
    expect(
      (await set(bob, { enabled: true, count: 2, excluded: ['cy', '@dan', 'cy'] }))
        .review_assignment,
    ).toMatchObject({ enabled: true, count: 2, algorithm: 'round_robin', excluded: ['cy', 'dan'] })
    expect(
      (await set(ada, { algorithm: 'load_balance', excluded: ['bob'] })).review_assignment,
    ).toMatchObject({ enabled: true, count: 2, algorithm: 'load_balance', excluded: ['bob'] })
    expect((await set(ada, { enabled: false })).review_assignment.excluded).toEqual(['bob'])
    expect((await refusal(set(cy, { enabled: true }))).reason).toBe('role')
    for (const [input, field] of [
      [{ count: 0 }, 'count'],
      [{ count: 11 }, 'count'],
      [{ busy_at: 101 }, 'busy_at'],
      [{ algorithm: 'random' }, 'algorithm'],
      [{ excluded: ['bob', 'nobody'] }, 'excluded[1]'],
      [{ excluded: ['out'] }, 'excluded[0]'],
    ] as const) {
      expect([input, (await refusal(set(ada, input))).field]).toEqual([input, field])
    }
    expect(
      (await world.call(getTeam, cy, { workspace: 'acme', team: 'core' })).review_assignment,
    ).toMatchObject({ enabled: false, count: 2, excluded: ['bob'] })
    expect(audits('team.review_assignment_changed')).toHaveLength(3)
    expect(
      (await refusal(set(withToken(bob, { scopes: ['workspace:read'] }), { count: 1 }))).reason,
    ).toBe('scope')
  })
})
